import type { IncomingHttpHeaders } from 'node:http'

/** The parts of a request in which credentials travel. */
export interface Asking {
  readonly headers: IncomingHttpHeaders
  /** Query and body parameters, merged. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** What was sent to say who is asking. */
export interface Credential {
  readonly kind: 'access token'
  readonly secret: string
}

/** One way to send credentials; the first that finds any decides. */
type Finder = (asking: Asking) => Credential | undefined

/** A blank value is none at all; one that cannot be a secret (a list, a number) is a wrong one. */
const token = (value: unknown): Credential | undefined =>
  value === undefined || value === null || value === ''
    ? undefined
    : { kind: 'access token', secret: typeof value === 'string' ? value : '' }

/**
 * The list of credential kinds, in order of precedence ("Authentication" in the specification). OAuth tokens are
 * access tokens in the same places; job tokens and the session cookie take their places at the end when they come.
 */
const finders: readonly Finder[] = [
  ({ headers }) => token(headers['private-token']),
  ({ parameters }) => token(parameters['private_token']),
  ({ headers }) => token(/^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1]),
  ({ parameters }) => token(parameters['access_token']),
  ({ headers }) => basicPassword(headers.authorization),
]

/** HTTP Basic with the token as password, whatever the name: how git and its helpers send one. */
function basicPassword(header: string | undefined): Credential | undefined {
  const encoded = /^Basic\s+(\S+)\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  return token(text.slice(text.indexOf(':') + 1)) ?? { kind: 'access token', secret: '' }
}

/** The credential that a request carries; undefined when it is anonymous. An unreadable header is a wrong one. */
export function credentialOf(asking: Asking): Credential | undefined {
  for (const find of finders) {
    const found = find(asking)
    if (found) return found
  }
  return asking.headers.authorization === undefined ? undefined : { kind: 'access token', secret: '' }
}
