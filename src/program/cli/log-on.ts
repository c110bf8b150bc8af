import type { Logger } from 'pino'
import type { Config } from '#platform/config/config.ts'
import type { LogFormat, LogLevel } from '#platform/config/variables.ts'
import { createLog } from '#platform/log.ts'
import type { Terminal } from './command.ts'

type Stream = 'out' | 'err'

/** How a stream is written: as the operator says, else for people where they see it. */
export const formatOn = (
  stream: Stream,
  { isTerminal }: Pick<Terminal, 'isTerminal'>,
  config: Pick<Config, 'logFormat'>,
): LogFormat => config.logFormat ?? (isTerminal[stream] ? 'text' : 'json')

/** Opens the log of a command. */
export function logOn(
  stream: Stream,
  terminal: Terminal,
  config: Pick<Config, 'logFormat'>,
  level: LogLevel,
): Logger {
  const coloured = terminal.isTerminal[stream] && (terminal.environment['NO_COLOR'] ?? '') === ''
  return createLog(level, {
    fd: stream === 'out' ? 1 : 2,
    format: formatOn(stream, terminal, config),
    coloured,
  })
}
