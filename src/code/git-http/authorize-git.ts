import type { FastifyRequest } from 'fastify'
import { authenticate } from '#platform/access/authentication.ts'
import { credentialOf, type SentCredential } from '#platform/access/credentials.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import { anyone } from '#platform/access/route-access.ts'
import type { Scope } from '#platform/access/scopes.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import { type GitAccess, type GitCaller, RepositoryMoved, type Service } from '#code/git-transport/access.ts'
import { authorizeRepository } from '#code/git-transport/authorize-repository.ts'
import { policyOf } from '#platform/http/browser-sessions.ts'
import { type HttpError, movedTo } from '#platform/http/errors.ts'
import { InvalidToken, NotAllowed, NotFound, unauthorized, Unidentified } from '#platform/refusals.ts'
import { baseUrl } from '#platform/http/links.ts'
import { NO_PASSWORDS } from './errors.ts'

/** The credentials that git sent, and the repository and service that they are for. */
export interface GitAttempt {
  readonly request: FastifyRequest
  /** HTTP Basic. */
  readonly username: string
  readonly password: string
  /** Of the repository. */
  readonly path: string
  readonly service: Service
}

/**
 * Credentials that only git knows, such as deploy tokens. The first one that recognizes the password decides: it
 * authorizes, or throws the refusal.
 */
export interface GitCredentials {
  /**
   * @returns undefined when the password is of another kind.
   * @throws {RepositoryMoved} after a rename
   */
  authorize(attempt: GitAttempt): Promise<GitAccess | undefined>
}

export const gitCredentials = new ExtensionPoint<GitCredentials>('the list of credentials for git')

const scopesFor: Readonly<Record<Service, readonly Scope[]>> = {
  'git-upload-pack': ['read_repository', 'write_repository', 'api'],
  'git-receive-pack': ['write_repository', 'api'],
}

const accessFor = (service: Service): RouteAccess => ({
  subject: anyone,
  scopes: scopesFor[service],
  anonymous: true,
  tier: undefined,
})

/**
 * Identifies the caller of a git request, and authorizes them for the repository.
 * @param authorize what decides about people and strangers
 * @throws 401 with a challenge for wrong credentials, and for anonymous callers who may not do this; 404 for a repository that the
 * caller may not see; 403 with the reason for one that they may see, but not use so; 301 with the new URL after a rename.
 */
export async function authorizeGit<Access = GitAccess>(
  request: FastifyRequest,
  path: string,
  service: Service,
  authorize: (caller: GitCaller) => Promise<GitAccess | Access> = (caller) =>
    authorizeRepository(caller, path, service),
): Promise<GitAccess | Access> {
  const { lastUsed } = request.server.services
  try {
    const found = await authorizeByGitAlone(request, path, service)
    if (found !== undefined) return found
    await identify(request, sentWith(request), accessFor(service))
    request.recognized = true
    return await authorize(callerOf(request))
  } catch (error) {
    if (error instanceof RepositoryMoved) throw movedToPath(request, error.path)
    const isHidden = error instanceof NotFound || error instanceof Unidentified
    // Git asks for credentials when it gets a 401. So a stranger learns nothing of what is there.
    if (isHidden && request.headers.authorization === undefined && request.identity === undefined)
      throw unauthorized()
    throw error
  } finally {
    if (request.identity !== undefined) lastUsed.note(request.identity.credential)
  }
}

/** Identifies somebody who may send the credentials of git, and needs none. Wrong ones count as none. */
export async function identifyReader(request: FastifyRequest): Promise<void> {
  try {
    await identify(request, sentWith(request), { ...accessFor('git-upload-pack'), jobToken: true })
    if (request.identity !== undefined) request.server.services.lastUsed.note(request.identity.credential)
  } catch (error) {
    if (!(error instanceof Unidentified || error instanceof NotAllowed)) throw error
  }
}

/** Tries the credentials that only git knows. */
async function authorizeByGitAlone(
  request: FastifyRequest,
  path: string,
  service: Service,
): Promise<GitAccess | undefined> {
  const basic = basicOf(request.headers.authorization)
  if (basic === undefined) return undefined
  for (const kind of gitCredentials.entries) {
    const access = await kind.authorize({ request, ...basic, path, service })
    if (access !== undefined) return access
  }
  return undefined
}

async function identify(
  request: FastifyRequest,
  sent: SentCredential | undefined,
  access: RouteAccess,
): Promise<void> {
  const { services } = request.server
  const find = () => authenticate(services.db, sent, access, policyOf(services))
  try {
    request.identity = await (sent === undefined
      ? find()
      : services.failedAuthentications.watch(request.ip, sent.digest, find))
  } catch (error) {
    const isUnknown = error instanceof Unidentified && !(error instanceof InvalidToken)
    throw isUnknown ? new Unidentified(NO_PASSWORDS) : error
  }
}

function callerOf(request: FastifyRequest): GitCaller {
  const { identity, ip, site, id: requestId, viewer, server } = request
  const user = identity?.user
  const impersonatorId = identity?.impersonatorId ?? null
  return {
    services: server.services,
    user,
    viewer,
    by: { author: user ?? null, impersonatorId, ip, requestId },
    site,
  }
}

/** The credential in a header. The cookie of a browser does not count: git has none of its own. */
function sentWith({ headers }: FastifyRequest): SentCredential | undefined {
  const { cookie: _, ...others } = headers
  return credentialOf({ method: 'GET', headers: others, parameters: {} })
}

function basicOf(header: string | undefined): Pick<GitAttempt, 'username' | 'password'> | undefined {
  const encoded = /^Basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** The refusal of a request for a repository that is at another path now. */
function movedToPath(request: FastifyRequest, path: string): HttpError {
  const [, rest = ''] = /^\/-\/git\/[^/]+(\/.*)$/.exec(request.raw.url ?? '') ?? []
  return movedTo(`${baseUrl(request)}/${path}.git${rest}`)
}
