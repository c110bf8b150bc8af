import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '#platform/config/config.ts'
import { licensedPlans } from '#administration/licenses/licensed-plans.ts'
import { createLog } from '#platform/log.ts'
import { startServer } from '#server.ts'
import { introduce } from './introduction.ts'
import { type Given, type Terminal, UsageError } from './command.ts'
import { Stopped, stopSignals } from './signals.ts'

/** Longer than the time for requests and jobs together. What still hangs then is abandoned. */
const LONGEST_STOP = 25_000

/** Runs the server until a signal stops it. */
export async function serve(given: Given, terminal: Terminal): Promise<number> {
  const config = readConfig(terminal.environment)
  const ephemeral = given.has('ephemeral')
  if (ephemeral && config.databaseUrl !== undefined) {
    throw new UsageError('--ephemeral has a database of its own: unset FORGELET_DATABASE_URL')
  }
  if (ephemeral && config.blobs !== undefined) {
    throw new UsageError('--ephemeral keeps files in a folder of its own: unset FORGELET_BLOBS')
  }
  const plan = planOf(given)
  if (plan !== undefined && !ephemeral)
    throw new UsageError('--plan is for --ephemeral only: elsewhere add a license (forgelet license issue)')
  const log = createLog(config.logLevel)
  const signal = stopSignals()
  try {
    const server = await startServer({
      config,
      log,
      ephemeral,
      signal,
      ...(plan && { licensedFor: plan }),
      onFirstStart: (first, dataDir) => {
        const where = introduce(first, terminal, 'out', dataDir)
        if (where !== undefined) log.warn({}, where)
      },
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

function planOf(given: Given) {
  const asked = given.maybe('plan')
  const plan = licensedPlans.find((name) => name === asked)
  if (asked !== undefined && plan === undefined)
    throw new UsageError(`there is no plan "${asked}" (plans: ${licensedPlans.join(', ')})`)
  return plan
}
