import type { FastifyRequest } from 'fastify'
import type { AccessContext } from '#platform/access/access-context.ts'
import { authenticate } from '#platform/access/authentication.ts'
import { projectRule } from '#platform/access/abilities.ts'
import { authorizeProject, Moved } from '#platform/access/authorize.ts'
import { withFurtherRights } from '#platform/access/further-rights.ts'
import { credentialOf, type SentCredential } from '#platform/access/credentials.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import { anyone } from '#platform/access/route-access.ts'
import type { Scope } from '#platform/access/scopes.ts'
import type { WrittenBy } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import { chosenBranch } from '#code/repositories/chosen-branch.ts'
import type { RepositoryOwner } from '#code/repositories/rows.ts'
import { policyOf } from '#platform/http/browser-sessions.ts'
import { type HttpError, movedTo } from '#platform/http/errors.ts'
import { InvalidToken, NotAllowed, NotFound, unauthorized, Unidentified } from '#platform/refusals.ts'
import { baseUrl } from '#platform/http/links.ts'
import { NO_PASSWORDS } from './errors.ts'

/** The service that a client asks for: `git-upload-pack` reads, `git-receive-pack` writes. */
export type Service = 'git-upload-pack' | 'git-receive-pack'

/** A repository, with what decides what a caller may do with it. */
export interface GitSubject {
  readonly owner: RepositoryOwner
  /** The default branch that somebody chose before the first push. */
  readonly defaultBranch?: string | undefined
  /** The caller's access to the project or group that owns the repository. */
  readonly accessContext: AccessContext
}

/** A caller who may use a repository as they asked. */
export interface GitAccess extends GitSubject {
  /** Null for credentials that belong to no person. */
  readonly userId: number | null
  /** The author whom recorded changes name. */
  readonly by: WrittenBy
  /** Where the web pages are for them. */
  readonly site: string
}

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

/** A repository that a caller may see, with a sentence that says why they may not read or write it. */
export interface GitRights extends GitSubject {
  readonly refusals: { readonly reading: string | undefined; readonly writing: string | undefined }
}

/** A kind of repository besides those of projects, such as wikis. The first kind whose paths have the form of a path decides. */
export interface GitRepositories {
  /** Whether a path has the form of this kind's paths. */
  named(path: string): boolean
  /** @throws 404 for what the caller may not see, 301 after a rename. */
  authorize(request: FastifyRequest, path: string): Promise<GitRights>
}

export const gitRepositories = new ExtensionPoint<GitRepositories>('the list of repositories for git')

/**
 * Credentials that only git knows, such as deploy tokens. The first one that recognizes the password decides: it
 * authorizes, or throws the refusal.
 */
export interface GitCredentials {
  /** @returns undefined when the password is of another kind. */
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
 * @throws 401 with a challenge for wrong credentials, and for anonymous callers who may not do this; 404 for a repository that the
 * caller may not see; 403 with the reason for one that they may see, but not use so; 301 with the new URL after a rename.
 */
export async function authorizeGit(
  request: FastifyRequest,
  path: string,
  service: Service,
): Promise<GitAccess> {
  const { lastUsed } = request.server.services
  try {
    const found = await authorizeByGitAlone(request, path, service)
    if (found !== undefined) return found
    await identify(request, sentWith(request), service)
    request.recognized = true
    return await authorizeFor(request, path, service)
  } catch (error) {
    if (error instanceof Moved) throw movedToPath(request, await pathOf(request, error.id))
    const isHidden = error instanceof NotFound || error instanceof Unidentified
    // Git asks for credentials when it gets a 401. So a stranger learns nothing of what is there.
    if (isHidden && request.headers.authorization === undefined && request.identity === undefined)
      throw unauthorized()
    throw error
  } finally {
    if (request.identity !== undefined) lastUsed.note(request.identity.credential)
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
  service: Service,
): Promise<void> {
  const { services } = request.server
  const find = () => authenticate(services.db, sent, accessFor(service), policyOf(services))
  try {
    request.identity = await (sent === undefined
      ? find()
      : services.failedAuthentications.watch(request.ip, sent.digest, find))
  } catch (error) {
    const isUnknown = error instanceof Unidentified && !(error instanceof InvalidToken)
    throw isUnknown ? new Unidentified(NO_PASSWORDS) : error
  }
}

async function authorizeFor(request: FastifyRequest, path: string, service: Service): Promise<GitAccess> {
  const { identity, ip, site, id: requestId } = request
  const kind = gitRepositories.entries.find((one) => one.named(path))
  const { refusals, ...subject } = await (kind?.authorize(request, path) ?? ofProject(request, path, service))
  const user = identity?.user
  if (refusals.reading !== undefined) {
    throw user === undefined ? unauthorized() : new NotAllowed(refusals.reading)
  }
  if (service === 'git-receive-pack') {
    if (user === undefined) throw unauthorized()
    if (refusals.writing !== undefined) throw new NotAllowed(refusals.writing)
  }
  return {
    ...subject,
    userId: user?.id ?? null,
    site,
    by: { author: user ?? null, impersonatorId: identity?.impersonatorId ?? null, ip, requestId },
  }
}

async function ofProject(
  { server, viewer }: FastifyRequest,
  path: string,
  service: Service,
): Promise<GitRights> {
  const authorized = await authorizeProject(server.db, viewer, path, 'read_project')
  const { container, can } = authorized
  const looksFurther = service === 'git-receive-pack' && !can('commit_code')
  const accessContext = looksFurther
    ? await withFurtherRights(server.db, viewer, authorized, 'commit_code')
    : authorized.accessContext
  const mayPush = projectRule('commit_code')(accessContext)
  return {
    owner: { kind: 'project', project: container.id },
    defaultBranch: chosenBranch(container),
    accessContext,
    refusals: {
      reading: can('download_code') ? undefined : NO_READING,
      writing: accessContext.archived ? ARCHIVED : mayPush ? undefined : NO_PUSHING,
    },
  }
}

const NO_READING = 'You are not allowed to download code from this project.'
const NO_PUSHING = 'You are not allowed to push code to this project.'
const ARCHIVED = 'This project is archived, so nobody can push to it.'

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
export function movedToPath(request: FastifyRequest, path: string): HttpError {
  const [, rest = ''] = /^\/-\/git\/[^/]+(\/.*)$/.exec(request.raw.url ?? '') ?? []
  return movedTo(`${baseUrl(request)}/${path}.git${rest}`)
}

/** The present path of a project. */
async function pathOf(request: FastifyRequest, projectId: number): Promise<string> {
  const { full_path } = await request.server.db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select('n.full_path')
    .where('p.id', '=', projectId)
    .executeTakeFirstOrThrow()
  return full_path
}
