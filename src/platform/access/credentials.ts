import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import { isCsrfToken } from './csrf.ts'

/** The parts of a request in which credentials travel. */
export interface Asking {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Those of the query; when there is no credential there or in the headers, those of the body. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What was sent to say who is asking. */
export interface SentCredential {
  readonly kind: 'access token' | 'OAuth token' | 'session'
  readonly secret: string
}

/** What OAuth access tokens begin with: they are kept apart from all other tokens. */
export const OAUTH_PREFIX = 'gloat-'

/** What signing in sets. */
export const PLAIN_COOKIE = '_service_session'
/**
 * The same where there is https. Browsers take this name from this very host alone, so that no other host of the
 * domain can insertNode a session of its choice here (RFC 6265bis §4.1.3.2).
 */
export const HOST_COOKIE = `__Host-${PLAIN_COOKIE}`
/** All that the API accepts, the safest first; the last is the one that clients of the dominant implementation send. */
export const SESSION_COOKIES = [HOST_COOKIE, PLAIN_COOKIE, '_gitlab_session'] as const

/** One way to send credentials; the first that finds any decides. */
type Finder = (asking: Asking) => SentCredential | undefined

/** A blank value is none at all; one that cannot be a secret (a list, a number) is a wrong one. */
function token(value: unknown): SentCredential | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const secret = typeof value === 'string' ? value : ''
  return { kind: secret.startsWith(OAUTH_PREFIX) ? 'OAuth token' : 'access token', secret }
}

/**
 * The list of credential kinds, in order of precedence ("Authentication" in the specification). OAuth tokens travel
 * in the same places as access tokens; job tokens take their place before the session cookie when they come.
 */
const finders: readonly Finder[] = [
  ({ headers }) => token(headers['private-token']),
  ({ parameters }) => token(parameters['private_token']),
  ({ headers }) => token(/^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]),
  ({ parameters }) => token(parameters['access_token']),
  ({ headers }) => basicPassword(headers.authorization),
  sessionOf,
]

/**
 * The session cookie. For anything but reading, whoever sends it must also know the CSRF token of the session: a
 * browser sends cookies along with requests that other sites made it send.
 */
function sessionOf({ method, headers }: Asking): SentCredential | undefined {
  if (headers.cookie === undefined || headers.authorization !== undefined) return undefined
  const secret = sessionSecretIn(headers.cookie)
  if (secret === undefined) return undefined
  const reading = method === 'GET' || method === 'HEAD'
  return reading || isCsrfToken(headers['x-csrf-token'], secret) ? { kind: 'session', secret } : undefined
}

/** What the session cookie of a `Cookie` header holds: the first of these names that is there. */
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

/** HTTP Basic with the token as password, whatever the name: how git and its helpers send one. */
function basicPassword(header: string | undefined): SentCredential | undefined {
  const encoded = /^Basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  return token(text.slice(text.indexOf(':') + 1)) ?? { kind: 'access token', secret: '' }
}

/** The credential that a request carries; undefined when it is anonymous. An unreadable header is a wrong one. */
export function credentialOf(asking: Asking): SentCredential | undefined {
  for (const find of finders) {
    const found = find(asking)
    if (found) return found
  }
  return asking.headers.authorization === undefined ? undefined : { kind: 'access token', secret: '' }
}

/** The id or name of the user to act as: the parameter or, behind it, the header. */
export function sudoIn({ headers, parameters }: Omit<Asking, 'method'>): string | undefined {
  const given = parameters['sudo'] ?? headers['sudo']
  return typeof given === 'string' || typeof given === 'number' ? String(given) : undefined
}
