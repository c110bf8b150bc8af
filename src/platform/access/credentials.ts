import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import { isCsrfToken } from './csrf.ts'
import { digestOf } from './digest.ts'

/** The parts of a request that can carry credentials. */
export interface CredentialSource {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The parameters of the query; when neither they nor the headers hold a credential, those of the body. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A credential that was sent. */
export type SentCredential = CredentialOfUser | SentDeployToken

/** The credential of a person or bot. */
export interface CredentialOfUser {
  readonly kind: 'access token' | 'OAuth token' | 'job token' | 'feed token' | 'session'
  readonly digest: Buffer
}

/** A deploy token, which belongs to nobody. */
export interface SentDeployToken {
  readonly kind: 'deploy token'
  readonly digest: Buffer
  /** What was sent with it, which has to be its own. */
  readonly username?: string
}

const sent = (kind: CredentialOfUser['kind'], secret: string): CredentialOfUser => ({
  kind,
  digest: digestOf(secret),
})
const deployToken = (secret: string): SentDeployToken => ({ kind: 'deploy token', digest: digestOf(secret) })
/** Something that can be no secret counts as a wrong one. */
const unreadable = () => sent('access token', '')

/** The prefix of OAuth access tokens; they are stored apart from all other tokens. */
export const OAUTH_PREFIX = 'gloat-'

/** The prefix of deploy tokens, so that scanners recognize leaked ones. */
export const DEPLOY_TOKEN_PREFIX = 'gldt-'

/** The prefix of the tokens of jobs, which are stored with the jobs that run. */
export const JOB_TOKEN_PREFIX = 'glcbt-'
/** The user name with which jobs send their tokens by HTTP Basic. */
export const JOB_USERNAME = 'gitlab-ci-token'

/** The session cookie that signing in sets. */
export const PLAIN_COOKIE = '_service_session'
/**
 * The session cookie under https. Browsers accept this name from this very host alone, so no other host of the domain
 * can plant a session of its choice here (RFC 6265bis §4.1.3.2).
 */
export const HOST_COOKIE = `__Host-${PLAIN_COOKIE}`
/** All cookies that the API accepts, the safest first. Clients of the dominant implementation send the last one. */
export const SESSION_COOKIES = [HOST_COOKIE, PLAIN_COOKIE, '_gitlab_session'] as const

/** One way to send credentials. The first finder that finds any decides. */
type Finder = (asking: CredentialSource) => SentCredential | undefined

/** A blank value counts as absent. A value that cannot be a secret (a list, a number) counts as a wrong credential. */
function token(value: unknown): SentCredential | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const secret = typeof value === 'string' ? value : ''
  return sent(secret.startsWith(OAUTH_PREFIX) ? 'OAuth token' : 'access token', secret)
}

/** The token of a job, in a header or parameter that is for nothing else. */
function jobToken(value: unknown): SentCredential | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return sent('job token', typeof value === 'string' ? value : '')
}

/** The token of a user for feeds, in a parameter that is for nothing else. */
function feedToken(value: unknown): SentCredential | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return sent('feed token', typeof value === 'string' ? value : '')
}

/** Programs that know only bearers send the token of their job, or a deploy token, as one. */
function bearer(secret: string | undefined): SentCredential | undefined {
  if (secret?.startsWith(DEPLOY_TOKEN_PREFIX) === true) return deployToken(secret)
  return secret?.startsWith(JOB_TOKEN_PREFIX) === true ? jobToken(secret) : token(secret)
}

/**
 * The kinds of credentials, in order of precedence ("Authentication" in the specification). OAuth tokens use the same
 * headers and parameters as access tokens.
 */
const finders: readonly Finder[] = [
  ({ headers }) => token(headers['private-token']),
  ({ parameters }) => token(parameters['private_token']),
  ({ headers }) => bearer(/^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]),
  ({ parameters }) => token(parameters['access_token']),
  ({ headers }) => jobToken(headers['job-token']),
  ({ parameters }) => jobToken(parameters['job_token']),
  ({ parameters }) => feedToken(parameters['feed_token']),
  ({ headers }) => basicPassword(headers.authorization),
  deployTokenOf,
  sessionOf,
]

/**
 * The session cookie. A request that changes something must also carry the session's CSRF token, because browsers
 * send cookies along with requests that other sites trigger.
 */
function sessionOf({ method, headers }: CredentialSource): SentCredential | undefined {
  if (headers.cookie === undefined || headers.authorization !== undefined) return undefined
  const secret = sessionSecretIn(headers.cookie)
  if (secret === undefined) return undefined
  const reading = method === 'GET' || method === 'HEAD'
  return reading || isCsrfToken(headers['x-csrf-token'], secret) ? sent('session', secret) : undefined
}

/** The session secret in a `Cookie` header: the value of the first of these names that is present. */
export function sessionSecretIn(
  header: string | undefined,
  names: readonly string[] = SESSION_COOKIES,
): string | undefined {
  if (header === undefined) return undefined
  const cookies = parseCookie(header)
  for (const name of names) {
    const value = cookies[name]
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** The header in which package managers send deploy tokens. */
function deployTokenOf({ headers }: CredentialSource): SentCredential | undefined {
  const value = headers['deploy-token']
  if (value === undefined) return undefined
  return typeof value === 'string' ? deployToken(value) : unreadable()
}

/**
 * HTTP Basic with the token as password and any user name: how git and its helpers send a token. Only those of jobs and deploy tokens
 * have a name of their own.
 */
function basicPassword(header: string | undefined): SentCredential | undefined {
  const encoded = /^Basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const username = text.slice(0, colon)
  const password = text.slice(colon + 1)
  if (password.startsWith(JOB_TOKEN_PREFIX) && username === JOB_USERNAME) return jobToken(password)
  if (password.startsWith(DEPLOY_TOKEN_PREFIX)) return { ...deployToken(password), username }
  return token(password) ?? unreadable()
}

/**
 * The credential that a request carries; undefined for an anonymous one. An unreadable header counts as a wrong one.
 */
export function credentialOf(asking: CredentialSource): SentCredential | undefined {
  for (const find of finders) {
    const found = find(asking)
    if (found) return found
  }
  return asking.headers.authorization === undefined ? undefined : unreadable()
}

/** The id or name of the user to act as: the parameter or, when that is absent, the header. */
export function sudoIn({ headers, parameters }: Omit<CredentialSource, 'method'>): string | undefined {
  const given = parameters['sudo'] ?? headers['sudo']
  return typeof given === 'string' || typeof given === 'number' ? String(given) : undefined
}
