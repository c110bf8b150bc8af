import type { FastifyRequest } from 'fastify'
import { digestOf } from '#platform/access/digest.ts'
import { authenticate } from '#platform/access/authentication.ts'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { credentialOf, DEPLOY_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import { identifyDeployToken } from '#platform/access/deploy-tokens.ts'
import { stillRuns } from '#platform/access/job-reach.ts'
import { anyone, type RouteAccess } from '#platform/access/route-access.ts'
import { assertTier } from '#platform/access/tiers.ts'
import { policyOf } from '#platform/http/browser-sessions.ts'
import { NotAllowed, NotFound, unauthorized, Unidentified } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { areOpen, pullScopes, tier } from '../gate.ts'
import type { Bearers, Puller } from './bearer.ts'
import { denied, nameUnknown, RegistryError } from './errors.ts'

const access: RouteAccess = {
  subject: anyone,
  scopes: pullScopes,
  anonymous: true,
  tier: undefined,
  jobToken: true,
}

/**
 * Identifies who sends a token of theirs as the password of HTTP Basic, or as a bearer.
 * @throws 401 for wrong and expired ones and for none, 403 for tokens without the scope
 */
export async function identifyByToken(request: FastifyRequest): Promise<Puller> {
  const { services } = request.server
  const basic = basicOf(request.headers.authorization)
  if (basic?.password.startsWith(DEPLOY_TOKEN_PREFIX) === true) {
    const digest = digestOf(basic.password)
    return services.failedAuthentications.watch(request.ip, digest, async () => {
      const token = await identifyDeployToken(services, { username: basic.username, digest })
      if (token === undefined) throw unauthorized()
      const may = token.scopes.some(
        (scope) => scope === 'read_virtual_registry' || scope === 'write_virtual_registry',
      )
      if (!may) throw denied('this deploy token needs the scope read_virtual_registry')
      return { kind: 'deploy token', namespaceId: token.namespace_id }
    })
  }
  // The cookie of a browser does not count: pages of others may cause requests.
  const { cookie: _, ...headers } = request.headers
  const sent = credentialOf({ method: 'GET', headers, parameters: {} })
  if (sent === undefined) throw unauthorized()
  const identity = await services.failedAuthentications.watch(request.ip, sent.digest, () =>
    authenticate(services.db, sent, access, policyOf(services)),
  )
  if (identity === undefined) throw unauthorized()
  services.lastUsed.note(identity.credential)
  const { id, admin, external } = identity.user
  return { kind: 'user', id, admin, external, ...(identity.job && { job: identity.job }) }
}

function basicOf(
  header: string | undefined,
): { readonly username: string; readonly password: string } | undefined {
  const encoded = /^Basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** A bearer that was made here has three parts; no other token of this server has. */
const JWT = /^Bearer\s+([\w-]+\.[\w-]+\.[\w-]+)\s*$/i

/**
 * Identifies who sends a request below `/v2/`.
 * @param registry for which one the token must be.
 * @throws 401 with the challenge that sends clients for a token
 */
export async function identifyPuller(
  bearers: Bearers,
  request: FastifyRequest,
  registry: number | undefined,
  image: string | undefined,
): Promise<Puller> {
  const scope = registry === undefined || image === undefined ? undefined : scopeOf(registry, image)
  const token = JWT.exec(request.headers.authorization ?? '')?.[1]
  try {
    if (token === undefined) return await identifyByToken(request)
    const bearer = await bearers.read(token)
    if (bearer === undefined) throw challenge(request, scope, 'invalid_token')
    if (registry !== undefined && !bearer.registries.includes(registry))
      throw challenge(request, scope, 'insufficient_scope')
    return bearer.puller
  } catch (error) {
    throw error instanceof Unidentified ? challenge(request, scope) : error
  }
}

/** The scope of an image, as clients ask for it. */
const scopeOf = (registry: number, image: string) =>
  `repository:virtual_registries/container/${registry}/${image}:pull`

/** Scopes that name a virtual registry: its id. */
export const SCOPE = /^repository:virtual_registries\/container\/(\d{1,15})\/[^:]*:[\w,*]+$/

function challenge({ site }: FastifyRequest, scope: string | undefined, error?: string): RegistryError {
  const more = [scope && `scope="${scope}"`, error && `error="${error}"`]
    .filter(Boolean)
    .map((text) => `,${text}`)
  return new RegistryError(401, 'UNAUTHORIZED', 'authentication required', {
    'www-authenticate': `Bearer realm="${site}/jwt/auth",service="container_registry"${more.join('')}`,
  })
}

/**
 * Authorizes a puller for the registries of a group.
 * @throws 401 for a job that has ended; 404 where they may not know that it exists, or registries are switched off; 403 where they
 * may, or the plan lacks them
 */
export async function authorizePull(request: FastifyRequest, puller: Puller, groupId: number): Promise<void> {
  const { services } = request.server
  const user = puller.kind === 'user' ? puller : undefined
  assertTier(tier, services)
  if (!areOpen(services, { user, group: { id: groupId } })) throw nameUnknown()
  const closed = services.addressRules.closedTo(request.ip)
  if (puller.kind === 'deploy token') {
    if (closed.includes(groupId) || !(await isWithin(request, puller.namespaceId, groupId)))
      throw nameUnknown()
    return
  }
  const { id, admin, external, job } = puller
  // The token that a client got for that of a job is worth no more.
  if (job !== undefined && !(await stillRuns(services.db, job.id))) throw unauthorized()
  const viewer = { id, admin, external, job, today: dayOf(services.clock.now()), closed }
  try {
    await authorizeGroup(services.db, viewer, String(groupId), 'pull_virtual_registry')
  } catch (error) {
    if (error instanceof NotFound) throw nameUnknown()
    throw error instanceof NotAllowed ? denied() : error
  }
}

/** Whether a project or group is, or is below, a group that is there. */
async function isWithin({ server }: FastifyRequest, namespaceId: number, groupId: number): Promise<boolean> {
  const found = await server.db
    .selectFrom('namespaces')
    .select('traversal_ids')
    .where('id', '=', namespaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found?.traversal_ids.includes(groupId) === true
}
