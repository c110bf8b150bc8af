import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { authenticate, type Identity, type Sought, type User } from '#access/authentication.ts'
import { credentialOf } from '#access/credentials.ts'
import { type GroupDoor, keyOf, Moved, openGroup, openProject, type ProjectDoor } from '#access/doors.ts'
import type { RouteAccess } from '#access/route-access.ts'
import { demandOpen } from '#access/hidden.ts'
import { demandTier } from '#access/tiers.ts'
import type { Viewer } from '#access/viewer.ts'
import { transact, type Tx } from '#db/transaction.ts'
import { readQuery } from './bodies.ts'
import { HttpError, forbidden, movedTo, unauthorized } from './errors.ts'
import { baseUrl } from './links.ts'
import { queryTooLong } from './routing.ts'
import { throttleAddress, throttleUser } from './throttles.ts'
import { policyOf, recognizeVisitor } from './visitors.ts'
import { dayOf } from './time.ts'

/** A route as it was declared: for the permission matrix, the OpenAPI document and whoever else walks over all of them. */
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
    /** What there is to say beyond the title. */
    readonly description?: string
    readonly deprecated?: boolean
  }
  interface FastifyInstance {
    /** Every route, HEAD twins aside. */
    readonly declaredRoutes: DeclaredRoute[]
  }
  interface FastifyRequest {
    identity: Identity | undefined
    readonly viewer: Viewer
    viewerOnce: Viewer | undefined
    /** Where the web pages live, for `web_url`s: the external URL, or the host that the request used. */
    readonly site: string
    projectDoor: ProjectDoor | undefined
    groupDoor: GroupDoor | undefined
    /** Who is asking. @throws 401 for anonymous callers. */
    user(): User
    /** The project that the route names in its access. */
    project(): ProjectDoor
    /** The group that the route names in its access. */
    group(): GroupDoor
    /** Runs a write in one transaction, as the user of this request. */
    write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  }
}

/**
 * Prepares every request in the order that decides which answer wins: transport, route, limits of the address,
 * credentials, sudo, scope, limit of the user, tier, feature switch, parameters (Fastify's validation stands between the
 * two hooks), resource, ability.
 */
export function prepareRequests(app: FastifyInstance): void {
  app.decorateRequest('identity', undefined)
  app.decorateRequest('projectDoor', undefined)
  app.decorateRequest('groupDoor', undefined)
  app.decorateRequest('viewerOnce', undefined)
  app.decorateRequest('viewer', {
    getter(this: FastifyRequest): Viewer {
      return (this.viewerOnce ??= viewerOf(this))
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
    if (this.projectDoor === undefined) throw new Error('This route declares no project')
    return this.projectDoor
  })
  app.decorateRequest('group', function group(this: FastifyRequest) {
    if (this.groupDoor === undefined) throw new Error('This route declares no group')
    return this.groupDoor
  })
  app.decorateRequest('write', function write<T>(this: FastifyRequest, work: (tx: Tx) => Promise<T>) {
    const by = { author: this.user(), behind: this.identity?.behind ?? null, ip: this.ip }
    return transact(this.server.services, by, work)
  })

  const declaredRoutes: DeclaredRoute[] = []
  app.decorate('declaredRoutes', declaredRoutes)
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const name of [method].flat()) {
      if (config?.access === undefined || name === 'HEAD') continue
      declaredRoutes.push({ method: name, url, access: config.access, schema: schema ?? {} })
    }
    if (config?.access === undefined) throw new Error(`${String(method)} ${url} declares no access`)
    if (schema?.response === undefined && !config.access.outside) {
      throw new Error(`${String(method)} ${url} declares no answers`)
    }
  })
  app.addHook('onRequest', async (request) => {
    const url = request.raw.url ?? ''
    if (queryTooLong(url)) throw new HttpError(414, { message: '414 URI Too Long' })
    const start = url.indexOf('?')
    request.query = start < 0 ? {} : readQuery(url.slice(start + 1))
  })
  app.addHook('preValidation', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (access === undefined) return
    if (access.page !== undefined) await recognizeVisitor(request, access.page)
    else if (!access.outside) await recognize(request, reply, access)
  })
  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config
    if (access !== undefined) await openDoor(request, access)
  })
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

/** Merges the parameters (the body's win) and answers who is asking, unless they ask too often. */
async function recognize(request: FastifyRequest, reply: FastifyReply, access: RouteAccess): Promise<void> {
  const { services } = request.server
  const parameters = { ...asRecord(request.query), ...asRecord(request.body) }
  const policy = policyOf(services)
  const asking = { method: request.method, headers: request.headers, parameters }
  const credential = credentialOf(asking)
  const sought = soughtBy(request, access)
  const find = () => authenticate(services.db, asking, access, policy, sought, credential)
  if (credential === undefined) await throttleAddress(request, reply)
  const { failedAuthentications } = services
  request.identity = await (credential === undefined
    ? find()
    : failedAuthentications.watch(request.ip, credential.secret, find))
  if (request.identity !== undefined) {
    services.lastUsed.note(request.identity.proof)
    await throttleUser(request, reply, request.identity)
    // A cookie that says nothing is no way around the limit.
  } else if (credential !== undefined) await throttleAddress(request, reply)
  demandTier(access.tier, services)
  await demandOpen(access, services, { identity: request.identity, viewer: request.viewer, sought })
  const declared = request.routeOptions.schema
  if (declared?.body !== undefined) request.body = parameters
  else request.query = parameters
}

/** The place that the route is about, to be looked up beside the token; not when its name cannot be read. */
function soughtBy(request: FastifyRequest, { subject }: RouteAccess): Sought | undefined {
  if (subject.kind !== 'project' && subject.kind !== 'group') return undefined
  const name = nameOf(request, subject.param)
  return name.includes('\0') ? undefined : { kind: subject.kind, key: keyOf(name) }
}

function nameOf(request: FastifyRequest, param: string): string {
  return String(asRecord(request.params)[param])
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

async function openDoor(request: FastifyRequest, access: RouteAccess): Promise<void> {
  const { subject } = access
  if (subject.kind === 'anyone') return
  if (subject.kind === 'admin') {
    if (!request.user().admin) throw forbidden()
    return
  }
  const { viewer, server, identity } = request
  const name = nameOf(request, subject.param)
  const options = { ahead: identity?.place }
  try {
    if (subject.kind === 'project')
      request.projectDoor = await openProject(server.db, viewer, name, subject.ability, options)
    else request.groupDoor = await openGroup(server.db, viewer, name, subject.ability, options)
  } catch (error) {
    throw error instanceof Moved ? movedTo(newPlace(request, subject.param, error.id)) : error
  }
}

/** The URL of this request with the id in the place of the former path. */
function newPlace(request: FastifyRequest, param: string, id: number): string {
  const path = (request.routeOptions.url ?? '')
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment
      const name = segment.slice(1)
      return name === param ? String(id) : encodeURIComponent(String(asRecord(request.params)[name]))
    })
    .join('/')
  const query = (request.raw.url ?? '').split('?')[1]
  return `${baseUrl(request)}${path}${query === undefined ? '' : `?${query}`}`
}
