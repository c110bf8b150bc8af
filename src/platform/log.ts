import { destination, pino, type Logger } from 'pino'
import type { LogLevel } from '#platform/config/variables.ts'

/** Where logged objects may hold secrets. */
const REDACTED = [
  '*.token',
  '*.password',
  '*.secret',
  '*.authorization',
  '*.headers',
  'err.config',
  'err.parameters',
]

/** Writes JSON lines without secrets, by default to standard output. */
export function createLog(level: LogLevel, fd = 1): Logger {
  const redact = { paths: REDACTED, censor: '[redacted]' }
  return pino({ level, base: { pid: process.pid }, redact }, destination({ fd, sync: true }))
}

/** Names, or parts of names with brackets, whose values must not appear in a log. */
const SECRET =
  /token|passw|passphrase|secret|credential|verifier|assertion|(?:private|secret|api)_?key|^(?:device_|user_)?code$|^otp|^license$/i
/** A user name and a password in a URL. */
const USERINFO = /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i

/** A request's URL without the secrets that some clients put into its query, however they encode the names. */
export function withoutSecrets(url: string): string {
  const start = url.indexOf('?')
  if (start < 0) return url
  const pairs = url.slice(start + 1).split('&')
  const shown = pairs.map((pair) => {
    const [written = ''] = pair.split('=', 1)
    // Decoded as the query is: `private%5Ftoken` is a private_token.
    const [[name = '', value = ''] = []] = new URLSearchParams(pair)
    const hidden = name.split(/[[\]]+/).some((part) => SECRET.test(part)) || USERINFO.test(value)
    return hidden ? `${written}=[redacted]` : pair
  })
  return `${url.slice(0, start)}?${shown.join('&')}`
}
