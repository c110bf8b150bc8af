/** Hosts that mean the user's own machine (RFC 8252 §7.3, §8.3). */
const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/

/**
 * Schemes for which a browser would run or show the content of the URI itself, or talk to something other than an
 * application.
 */
const REFUSED_SCHEMES = new Set(
  [
    ['about', 'blob', 'data', 'file', 'filesystem', 'javascript', 'vbscript', 'view-source'],
    ['ftp', 'intent', 'mailto', 'sms', 'tel', 'urn', 'ws', 'wss'],
  ]
    .flat()
    .map((scheme) => `${scheme}:`),
)

const MAX_LENGTH = 2_048
const MAX_URIS = 20

/** Splits a list of URIs at line ends and blanks. */
export function splitRedirectUris(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((uri) => uri !== ''))]
}

/** The problems of these redirect URIs, as predicates without a subject; empty when there are none. */
export function problemsOfRedirectUris(uris: readonly string[]): string[] {
  if (uris.length === 0) return ["can't be blank"]
  if (uris.length > MAX_URIS) return [`has too many lines (maximum is ${MAX_URIS})`]
  return [...new Set(uris.flatMap((uri) => problemOf(uri) ?? []))]
}

/**
 * RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.1: a redirect URI is absolute, has no fragment and does not use plain http,
 * except on the user's own machine.
 */
function problemOf(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `is too long (maximum is ${MAX_LENGTH} characters)`
  // Headers carry exactly these characters, and comparisons use them.
  if (!/^[\x21-\x7E]+$/.test(uri) || /["<>\\^`{|}]/.test(uri)) return 'must be an absolute URI'
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri) || !URL.canParse(uri)) return 'must be an absolute URI'
  if (uri.includes('#')) return 'must not contain a fragment'
  const { protocol, hostname, username, password } = new URL(uri)
  if (REFUSED_SCHEMES.has(protocol)) return 'must not have this scheme'
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  if (!/^(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/.test(hostname)) return 'must be an absolute URI'
  const safe = protocol === 'https:' || LOOPBACK.test(hostname)
  return safe ? undefined : 'must use https, except for addresses of the own machine'
}

/**
 * Whether a URI is one of the application's. The texts must be equal, but for loopback URIs of public clients the port
 * does not count: they listen on any free port (RFC 8252 §7.3, RFC 9700 §4.1.3).
 */
export function isRedirectUri(
  {
    redirect_uris,
    confidential,
  }: { readonly redirect_uris: readonly string[]; readonly confidential: boolean },
  uri: string,
): boolean {
  if (redirect_uris.includes(uri)) return true
  const own = confidential ? undefined : withoutPort(uri)
  return own !== undefined && redirect_uris.some((registered) => withoutPort(registered) === own)
}

/** `http://127.0.0.1:4000/done` → `http://127.0.0.1/done`; undefined when the URI is not a loopback one. */
function withoutPort(uri: string): string | undefined {
  // No application can own an impossible port.
  if (!URL.canParse(uri)) return undefined
  const [, host, rest] =
    /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?([/?].*)?$/.exec(uri) ?? []
  // The port may be too large to be one.
  return host === undefined || !URL.canParse(uri) ? undefined : `${host}${rest ?? ''}`
}
