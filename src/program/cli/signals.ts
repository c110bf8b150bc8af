import { constants } from 'node:os'

/**
 * Two signals within this time count as one: npm forwards Ctrl-C to a program that the terminal has already
 * signalled.
 */
const ONE_SIGNAL = 250

/**
 * Turns the first SIGTERM or SIGINT into an aborted signal. The second ends the process at once; the watchdog of the
 * embedded PostgreSQL then stops the database.
 */
export function stopSignals(): AbortSignal {
  const stop = new AbortController()
  let first = 0
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!stop.signal.aborted) {
        first = performance.now()
        stop.abort(new Stopped(name))
      } else if (performance.now() - first > ONE_SIGNAL) {
        process.exit(128 + constants.signals[name])
      }
    })
  }
  return stop.signal
}

/** The reason of an aborted start: a signal requested it. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  constructor(signal: string) {
    super(`stopped by ${signal}`)
  }
}
