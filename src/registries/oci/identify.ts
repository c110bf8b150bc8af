import type { FastifyRequest } from 'fastify'
import { authenticate } from '#platform/access/authentication.ts'
import { credentialOf } from '#platform/access/credentials.ts'
import { anyone, type RouteAccess } from '#platform/access/route-access.ts'
import type { Scope } from '#platform/access/scopes.ts'
import { policyOf } from '#platform/http/browser-sessions.ts'
import { unauthorized, Unidentified } from '#platform/refusals.ts'
import { identifyDeployToken } from '#platform/access/deploy-tokens.ts'
import { asNow } from './as-now.ts'
import type { Bearer, Bearers, Puller } from './bearer.ts'
import { denied, RegistryError } from './errors.ts'

/** The scopes of tokens that are for images, in one way or another. */
const scopes: readonly Scope[] = [
  'api',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
]

const access: RouteAccess = {
  subject: anyone,
  scopes,
  anonymous: true,
  tier: undefined,
  jobToken: true,
}

/**
 * Identifies who sends a token of theirs as the password of HTTP Basic, or as a bearer.
 * @throws 401 for wrong and expired ones and for none, 403 for tokens that are for no images
 */
export async function identifyByToken(
  request: FastifyRequest,
): Promise<Exclude<Puller, { kind: 'anonymous' }>> {
  const { services } = request.server
  // The cookie of a browser does not count: pages of others may cause requests.
  const { cookie: _, ...headers } = request.headers
  const sent = credentialOf({ method: 'GET', headers, parameters: {} })
  if (sent === undefined) throw unauthorized()
  if (sent.kind === 'deploy token')
    return services.failedAuthentications.watch(request.ip, sent.digest, async () => {
      const token = await identifyDeployToken(services, sent)
      if (token === undefined) throw unauthorized()
      if (!hasScope(token, ...scopes))
        throw denied('this deploy token needs the scope read_registry or read_virtual_registry')
      return { kind: 'deploy token', id: token.id, namespaceId: token.namespace_id, scopes: token.scopes }
    })
  const identity = await services.failedAuthentications.watch(request.ip, sent.digest, () =>
    authenticate(services.db, sent, access, policyOf(services)),
  )
  if (identity === undefined) throw unauthorized()
  services.lastUsed.note(identity.credential)
  const { user, credential, job } = identity
  const { id, username, admin, external } = user
  return { kind: 'user', id, username, admin, external, scopes: credential.scopes, ...(job && { job }) }
}

/** A bearer that was made here has three parts; no other token of this server has. */
const JWT = /^Bearer\s+([\w-]+\.[\w-]+\.[\w-]+)\s*$/i

/** Whether a token that was got for some scopes is for a request; always for one that names nothing. */
type Covers = (bearer: Bearer) => boolean

/**
 * Identifies who sends a request below `/v2/`.
 * @param scope what a client is told to ask a token for
 * @throws 401 with the challenge that sends clients for a token
 */
export async function identifyPuller(
  bearers: Bearers,
  request: FastifyRequest,
  scope: string | undefined,
  covers: Covers = () => true,
): Promise<Puller> {
  const token = JWT.exec(request.headers.authorization ?? '')?.[1]
  try {
    if (token === undefined) return await identifyByToken(request)
    const bearer = await bearers.read(token)
    if (bearer === undefined) throw challenge(request, scope, 'invalid_token')
    if (!covers(bearer)) throw challenge(request, scope, 'insufficient_scope')
    return await asNow(request.server.services, bearer.puller)
  } catch (error) {
    throw error instanceof Unidentified ? challenge(request, scope) : error
  }
}

/** Sends a client for a token. */
export function challenge(
  { site }: FastifyRequest,
  scope: string | undefined,
  error?: string,
): RegistryError {
  const more = [scope && `scope="${scope}"`, error && `error="${error}"`]
    .filter(Boolean)
    .map((text) => `,${text}`)
  return new RegistryError(401, 'UNAUTHORIZED', 'authentication required', {
    'www-authenticate': `Bearer realm="${site}/jwt/auth",service="container_registry"${more.join('')}`,
  })
}

/** Whether a token has one of these scopes. */
export const hasScope = (
  { scopes: held }: { readonly scopes: readonly string[] | 'all' },
  ...wanted: readonly Scope[]
): boolean => held === 'all' || wanted.some((scope) => held.includes(scope))
