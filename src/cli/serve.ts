import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '#config.ts'
import { createLog } from '#log.ts'
import { startServer } from '#server.ts'
import { introduction } from './introduction.ts'
import { type Given, type Terminal, UsageError } from './command.ts'
import { Stopped, stopSignals } from './signals.ts'

/** Longer than requests and jobs get together; what hangs even then is left behind. */
const LONGEST_STOP = 25_000

/** Runs the server until a signal stops it. */
export async function serve(given: Given, terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  const ephemeral = given.has('ephemeral')
  if (ephemeral && config.databaseUrl !== undefined) {
    throw new UsageError('--ephemeral has a database of its own: unset FORGELET_DATABASE_URL')
  }
  const log = createLog(config.logLevel)
  const signal = stopSignals()
  try {
    const server = await startServer({
      config,
      log,
      ephemeral,
      signal,
      onFirstStart: (first) => terminal.out(introduction(first)),
    })
    log.info({}, `ready on ${server.url} in ${Math.round(performance.now())} ms`)
    if (!signal.aborted) await once(signal, 'abort')
    log.info({}, `${String(signal.reason.message)}: requests under way are finished`)
    const stopped = server.stop().then(() => true)
    if (await Promise.race([stopped, pause(LONGEST_STOP, false, { ref: false })])) return 0
    log.error({}, 'something does not stop: leaving it behind')
    return 1
  } catch (error) {
    if (error instanceof Stopped) return 0
    throw error
  }
}
