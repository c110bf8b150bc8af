import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { keepHeapSmall } from '#platform/processes/heap.ts'
import { licensedPlans } from '#administration/licenses/licensed-plans.ts'
import { openTelemetry } from '#platform/telemetry/open.ts'
import type { Telemetry } from '#platform/telemetry/telemetry.ts'
import { readTelemetry } from '#platform/telemetry/variables.ts'
import type { EphemeralOptions } from '#program/testing/ephemeral.ts'
import { startServer } from '#server.ts'
import { introduce } from './introduction.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { logOn } from './log-on.ts'
import { prepareReadyFile, writeReadyFile } from './ready-file.ts'
import { endOfInput, endOfParent, standsForNpm, Stopped, stopSignals } from './signals.ts'

/** Longer than the time for requests and jobs together. What still hangs then is abandoned. */
const LONGEST_STOP = 25_000

/** Runs the server until a signal stops it. */
export async function serve(given: CommandOptions, terminal: Terminal): Promise<number> {
  keepHeapSmall()
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
  const seed = seedOf(given)
  if (seed !== undefined && !ephemeral) throw new UsageError('--seed is for --ephemeral only')
  const readyFile = given.maybe('ready-file')
  if (readyFile !== undefined) prepareReadyFile(readyFile)
  const log = logOn('out', terminal, config, config.logLevel)
  const signal = AbortSignal.any([
    stopSignals(),
    ...(ephemeral || standsForNpm(terminal.environment) ? [endOfParent(terminal.environment)] : []),
    ...(given.has('exit-with-stdin') ? [endOfInput(terminal.input)] : []),
  ])
  const telemetry = await telemetryOf(terminal.environment, log)
  try {
    const server = await start({
      config,
      log,
      telemetry,
      ephemeral,
      seed,
      signal,
      ...(plan && { licensedFor: plan }),
      onFirstStart: (first, dataDir) => {
        const where = introduce(first, terminal, 'out', { ...config, data: dataDir })
        if (where !== undefined) log.warn({}, where)
      },
    })
    if (readyFile !== undefined) {
      writeReadyFile(readyFile, { url: server.url, pid: process.pid, token: server.token })
    }
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

/** Loads what exports traces and metrics, where the standard variables ask for it. */
async function telemetryOf(
  environment: Terminal['environment'],
  log: Logger,
): Promise<Telemetry | undefined> {
  const options = readTelemetry(environment)
  return options && openTelemetry(options, log)
}

interface Started {
  readonly url: string
  readonly token: string | undefined
  stop(): Promise<void>
}

async function start({ seed, ...options }: EphemeralOptions & { ephemeral: boolean }): Promise<Started> {
  if (!options.ephemeral) return { ...(await startServer(options)), token: undefined }
  const { startEphemeral } = await import('#program/testing/ephemeral.ts')
  const { running, stop, token } = await startEphemeral({ seed, ...options })
  return { url: running.url, token, stop }
}

function seedOf(given: CommandOptions): number | undefined {
  const asked = given.maybe('seed')
  if (asked === undefined) return undefined
  if (!/^\d{1,9}$/.test(asked)) throw new UsageError('--seed needs a whole number of up to nine digits')
  return Number(asked)
}

function planOf(given: CommandOptions) {
  const asked = given.maybe('plan')
  const plan = licensedPlans.find((name) => name === asked)
  if (asked !== undefined && plan === undefined)
    throw new UsageError(`there is no plan "${asked}" (plans: ${licensedPlans.join(', ')})`)
  return plan
}
