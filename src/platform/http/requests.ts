import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { Identity, User } from '#platform/access/identity.ts'
import {
  type AuthorizedGroup,
  Moved,
  authorizeGroup,
  authorizeProject,
  type AuthorizedProject,
} from '#platform/access/authorize.ts'
import type { RequestedResource } from '#platform/access/containers.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { greatest } from '#platform/sequences.ts'
import { BodyBytes } from './body-bytes.ts'
import { type BodyKind, parameters } from './body-kind.ts'
import { readQuery } from './bodies.ts'
import { bodyLimit } from './body-limits.ts'
import { answerAsDeclared } from './declared-success.ts'
import { HttpError, movedTo, type OwnRefusal, writeToMoved } from './errors.ts'
import { badRequest, forbidden, unauthorized } from '#platform/refusals.ts'
import { baseUrl } from './links.ts'
import { parameterIn, receive, recognizeEarly, recognizeFully, requestedBy } from './recognize.ts'
import { queryTooLong } from './routing.ts'
import { assertOwnForm, recognizeBrowserSession } from './browser-sessions.ts'
import { dayOf } from './time.ts'

/**
 * A route as it was declared: for the permission matrix, the OpenAPI document and other code that iterates over all
 * routes.
 */
export interface DeclaredRoute {
  readonly method: string
  readonly url: string
  readonly access: RouteAccess
  readonly schema: FastifySchema
}

declare module 'fastify' {
  interface FastifySchema {
    /** What the route does, in a few words: the title in the API reference. */
    readonly summary?: string
    /** Further explanation. */
    readonly description?: string
    readonly deprecated?: boolean
    /** Its own refusals, beyond those that follow from its access and parameters. */
    readonly refuses?: readonly OwnRefusal[]
    /** Whether what is written here may be taken for spam: refused with 400, or with 409 where a CAPTCHA helps. */
    readonly checkedForSpam?: true
  }
  interface FastifyInstance {
    /** Every route, without the HEAD routes that Fastify adds. */
    readonly declaredRoutes: DeclaredRoute[]
  }
  interface FastifyContextConfig {
    /** How the route accepts its body; by default as parameters. */
    body?: BodyKind
  }
  interface FastifyRequest {
    identity: Identity | undefined
    /** Whether the caller is identified, or known to be anonymous. */
    recognized: boolean
    /** The body of a route that takes no parameters in it. */
    received: Readable | BodyBytes | undefined
    readonly viewer: Viewer
    viewerOnce: Viewer | undefined
    /** The project or group that the path names; undefined for other routes, and when its name cannot be read. */
    readonly requested: RequestedResource | undefined
    /** Null for none. */
    requestedOnce: RequestedResource | null | undefined
    /** The base of `web_url`s: the external URL, or the host that the request used. */
    readonly site: string
    authorizedProject: AuthorizedProject | undefined
    authorizedGroup: AuthorizedGroup | undefined
    /** The caller. @throws 401 for anonymous callers. */
    user(): User
    /** The project that the route names in its access. */
    project(): AuthorizedProject
    /** The group that the route names in its access. */
    group(): AuthorizedGroup
    /** The body of a route that is `streamed`. It fails when the sender stops or is too slow. */
    bodyStream(): Readable
    /** The body of a `raw` route, which is read when the route asks for it. */
    bodyBytes(): BodyBytes
    /** Runs a write in one transaction, as the user of this request. */
    write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  }
}

/**
 * Prepares every request in the order that decides which refusal wins: transport, route, limits of the address,
 * credentials, scope, limit of the user, body, sudo, tier, feature flag, parameters (Fastify's validation runs
 * between the last two hooks), resource, ability.
 */
export function prepareRequests(app: FastifyInstance): void {
  app.decorateRequest('identity', undefined)
  app.decorateRequest('recognized', false)
  app.decorateRequest('received', undefined)
  app.decorateRequest('authorizedProject', undefined)
  app.decorateRequest('authorizedGroup', undefined)
  app.decorateRequest('viewerOnce', undefined)
  app.decorateRequest('viewer', {
    getter(this: FastifyRequest): Viewer {
      return (this.viewerOnce ??= viewerOf(this))
    },
  })
  app.decorateRequest('requestedOnce', undefined)
  app.decorateRequest('requested', {
    getter(this: FastifyRequest): RequestedResource | undefined {
      if (this.requestedOnce === undefined) this.requestedOnce = requestedBy(this) ?? null
      return this.requestedOnce ?? undefined
    },
  })
  app.decorateRequest('site', {
    getter(this: FastifyRequest): string {
      return this.server.services.config.externalUrl ?? baseUrl(this)
    },
  })
  app.decorateRequest('user', function user(this: FastifyRequest) {
    if (this.identity === undefined) throw unauthorized()
    return this.identity.user
  })
  app.decorateRequest('project', function project(this: FastifyRequest) {
    if (this.authorizedProject === undefined) throw new Error('This route declares no project')
    return this.authorizedProject
  })
  app.decorateRequest('group', function group(this: FastifyRequest) {
    if (this.authorizedGroup === undefined) throw new Error('This route declares no group')
    return this.authorizedGroup
  })
  app.decorateRequest('bodyStream', function bodyStream(this: FastifyRequest) {
    if (!(this.received instanceof Readable))
      throw new Error('This route does not declare its body as streamed')
    return this.received
  })
  app.decorateRequest('bodyBytes', function bodyBytes(this: FastifyRequest) {
    if (!(this.received instanceof BodyBytes)) throw new Error('This route does not declare its body as raw')
    return this.received
  })
  app.decorateRequest('write', function write<T>(this: FastifyRequest, work: (tx: Tx) => Promise<T>) {
    const impersonatorId = this.identity?.impersonatorId ?? null
    const by = { author: this.user(), impersonatorId, ip: this.ip, requestId: this.id }
    return transact(this.server.services, by, work)
  })

  const declaredRoutes: DeclaredRoute[] = []
  app.decorate('declaredRoutes', declaredRoutes)
  app.addHook('onRoute', (route) => {
    const { method, url, config, schema = {}, exposeHeadRoute } = route
    const methods = [method].flat()
    const access = config?.access
    if (access === undefined) throw new Error(`${methods.join(', ')} ${url} declares no access`)
    if (schema.response === undefined && !access.outside) {
      throw new Error(`${methods.join(', ')} ${url} declares no answers`)
    }
    const body = config?.body ?? parameters
    if (body.as !== 'parameters' && schema.body !== undefined) {
      throw new Error(`${methods.join(', ')} ${url} declares parameters in a body that holds none`)
    }
    // A HEAD route derived from GET would produce the whole stream to throw it away.
    if (isStream(schema) && !methods.includes('HEAD') && exposeHeadRoute !== false) {
      throw new Error(`GET ${url} answers with a stream and does not declare HEAD`)
    }
    for (const name of methods) {
      if (name !== 'HEAD') declaredRoutes.push({ method: name, url, access, schema })
    }
    route.bodyLimit = greatest(
      0,
      methods.map((name) => bodyLimit(name, body, schema)),
    )
  })
  app.addHook('onRequest', async (request, reply) => {
    assertHost(request)
    readQueryOf(request)
    const { access } = request.routeOptions.config
    if (access?.page !== undefined) await recognizeBrowserSession(request, access.page)
    else if (access !== undefined && !access.outside) await recognizeEarly(request, reply, access)
  })
  app.addHook('preValidation', async (request, reply) => {
    const { access, body = parameters } = request.routeOptions.config
    if (access === undefined) return
    if (access.outside) {
      request.body = await receive(request, reply, body)
      if (access.page !== undefined) assertOwnForm(request)
    } else await recognizeFully(request, reply, access, body)
  })
  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config
    if (access !== undefined) await authorizeContainer(request, access)
  })
  answerAsDeclared(app)
}

/** Whether a route answers with something other than JSON, which is sent as a stream. */
function isStream({ response }: FastifySchema): boolean {
  if (typeof response !== 'object' || response === null || !('200' in response)) return false
  const { 200: answer } = response
  return typeof answer === 'object' && answer !== null && 'contentMediaType' in answer
}

/** The characters of host names, addresses and ports. The URL parser decides whether they form one. */
const HOST = /^[\w.:[\]-]+$/

/** The base URL that was valid last: nearly always that of the next request, too. */
let latest = ''

/** A request without a host, as in HTTP/1.0, counts as sent to the address at which it arrived. @throws 400 */
function assertHost({ raw, host, protocol }: FastifyRequest): void {
  if (host === '') {
    const { localAddress = '', localPort } = raw.socket
    raw.headers.host = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
    return
  }
  const base = `${protocol}://${host}`
  if (base === latest) return
  if (!HOST.test(host) || !/^https?$/.test(protocol) || !URL.canParse(base)) {
    throw badRequest('the host is invalid')
  }
  latest = base
}

/**
 * Reads the query, and treats an empty content type as none.
 * @throws 414, and 400 for names that contradict each other
 */
function readQueryOf(request: FastifyRequest): void {
  const url = request.raw.url ?? ''
  if (queryTooLong(url)) throw new HttpError(414, { message: '414 URI Too Long' })
  const query = queryOf(url)
  const { body = parameters } = request.routeOptions.config
  request.query =
    query === undefined ? {} : readQuery(query, body.as === 'parameters' ? body.names : 'nested')
  if (request.headers['content-type']?.trim() === '') delete request.headers['content-type']
}

function queryOf(url: string): string | undefined {
  const start = url.indexOf('?')
  return start < 0 ? undefined : url.slice(start + 1)
}

function viewerOf({ identity, ip, server }: FastifyRequest): Viewer {
  const { clock, addressRules } = server.services
  const user = identity?.user
  return {
    id: user?.id ?? null,
    admin: user?.admin ?? false,
    external: user?.external ?? false,
    today: dayOf(clock.now()),
    closed: addressRules.closedTo(ip),
  }
}

async function authorizeContainer(request: FastifyRequest, access: RouteAccess): Promise<void> {
  const { subject } = access
  if (subject.kind === 'anyone') return
  if (subject.kind === 'admin') {
    if (!request.user().admin) throw forbidden()
    return
  }
  const { viewer, server, identity } = request
  const name = parameterIn(request, subject.param)
  const options = { preloaded: identity?.container, nested: request.requested?.nested }
  try {
    if (subject.kind === 'project')
      request.authorizedProject = await authorizeProject(server.db, viewer, name, subject.ability, options)
    else request.authorizedGroup = await authorizeGroup(server.db, viewer, name, subject.ability, options)
  } catch (error) {
    if (!(error instanceof Moved)) throw error
    if (!isRead(request.method)) throw writeToMoved(subject.kind)
    throw movedTo(newContainer(request, subject.param, error.id))
  }
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** The URL of this request with the id instead of the former path. */
function newContainer(request: FastifyRequest, param: string, id: number): string {
  const path = (request.routeOptions.url ?? '')
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment
      const name = segment.slice(1)
      return name === param ? String(id) : encodeURIComponent(parameterIn(request, name))
    })
    .join('/')
  const query = queryOf(request.raw.url ?? '')
  return `${baseUrl(request)}${path}${query === undefined ? '' : `?${query}`}`
}
