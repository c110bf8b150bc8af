import { destination, pino, type Logger } from 'pino'
import type { LogFormat, LogLevel } from '#platform/config/variables.ts'
import { lineForPeople } from './log-lines.ts'

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

export interface LogOutput {
  /** The file descriptor; by default standard output. */
  readonly fd?: number
  /** By default JSON. */
  readonly format?: LogFormat
  /** Whether a terminal shows it. */
  readonly coloured?: boolean
}

/** Writes lines without secrets. */
export function createLog(
  level: LogLevel,
  { fd = 1, format = 'json', coloured = false }: LogOutput = {},
): Logger {
  const redact = { paths: REDACTED, censor: '[redacted]' }
  const options = { level, base: { pid: process.pid }, redact }
  const output = destination({ fd, sync: true })
  if (format === 'json') return pino(options, output)
  return pino(options, { write: (json) => void output.write(lineForPeople(json, coloured)) })
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
