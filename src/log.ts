import { destination, pino, type Logger } from 'pino'
import type { LogLevel } from './config.ts'

/** Where secrets could travel in what is logged. */
const REDACTED = [
  '*.token',
  '*.password',
  '*.secret',
  '*.authorization',
  '*.headers',
  'err.config',
  'err.parameters',
]

/** JSON lines without secrets, on standard output unless another file descriptor is given. */
export function createLog(level: LogLevel, fd = 1): Logger {
  const redact = { paths: REDACTED, censor: '[redacted]' }
  return pino({ level, base: { pid: process.pid }, redact }, destination({ fd, sync: true }))
}

/** A request's URL without the secrets that some clients put into its query. */
export function withoutSecrets(url: string): string {
  return url.replace(
    /([?&](?:private_token|access_token|job_token|token|password|secret)=)[^&]*/gi,
    '$1[redacted]',
  )
}
