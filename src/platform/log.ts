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
