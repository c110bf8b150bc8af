import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuthorizedGroup, AuthorizedProject } from '#platform/access/authorize.ts'
import type { RequestedResource } from '#platform/access/containers.ts'
import type { Identity, User } from '#platform/access/identity.ts'
import type { ActingDeployToken, Viewer } from '#platform/access/viewer.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { BodyBytes } from './body-bytes.ts'
import { unauthorized } from '#platform/refusals.ts'
import { baseUrl } from './links.ts'
import { requestedBy } from './recognize.ts'
import { dayOf } from './time.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identity: Identity | undefined
    /** The deploy token that was sent to a route that takes one. There is no identity then. */
    deployToken: ActingDeployToken | undefined
    /** Whether the caller is identified, or known to be anonymous. */
    recognized: boolean
    /** Whether a page has been counted in the limits of its visitor. */
    counted: boolean
    /** Whether a route has found a credential of its own before the body is read, so that the body may be a large one. */
    vouched: boolean
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
    /** What addresses for git over SSH begin with; undefined where there is none. */
    readonly sshSite: string | undefined
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
    /** Runs a write in one transaction, as the user of this request. @param answer as in {@link transact} */
    write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
    write<T, Answer>(
      work: (tx: Tx) => Promise<T>,
      answer: (tx: Tx, made: T) => Promise<Answer>,
    ): Promise<Answer>
  }
}

/** Gives every request what handlers ask of it: the caller, the project or group, the body, a transaction. */
export function decorateRequests(app: FastifyInstance): void {
  app.decorateRequest('identity', undefined)
  app.decorateRequest('deployToken', undefined)
  app.decorateRequest('recognized', false)
  app.decorateRequest('vouched', false)
  app.decorateRequest('counted', false)
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
  app.decorateRequest('sshSite', {
    getter(this: FastifyRequest): string | undefined {
      return this.server.services.sshSite()
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
  app.decorateRequest('write', function write<
    T,
    Answer,
  >(this: FastifyRequest, work: (tx: Tx) => Promise<T>, answer?: (tx: Tx, made: T) => Promise<Answer>) {
    const impersonatorId = this.identity?.impersonatorId ?? null
    // A deploy token is nobody.
    const author = this.deployToken === undefined ? this.user() : null
    const by = { author, impersonatorId, ip: this.ip, requestId: this.id }
    return answer === undefined
      ? transact(this.server.services, by, work)
      : transact(this.server.services, by, work, answer)
  })
}

function viewerOf({ identity, deployToken, ip, server }: FastifyRequest): Viewer {
  const { clock, addressRules } = server.services
  const user = identity?.user
  return {
    id: user?.id ?? null,
    admin: user?.admin ?? false,
    external: user?.external ?? false,
    today: dayOf(clock.now()),
    closed: addressRules.closedTo(ip),
    job: identity?.job,
    deployToken,
  }
}
