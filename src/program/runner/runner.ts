import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type CommandOptions, Refused, type Terminal, UsageError } from '../cli/command.ts'
import { stopSignals } from '../cli/signals.ts'
import { trimCaches } from './cache.ts'
import { readConfig, usualFolder } from './config.ts'
import type { ReceivedJob } from './job.ts'
import { runJob } from './run-job.ts'
import { RefusedByServer, RunnerApi } from './runner-api.ts'

/** Milliseconds between two questions for a job, and after a server that did not answer. */
const PAUSE = 3_000
const LONGER_PAUSE = 10_000

/** Runs jobs until it is stopped; then those that run are finished first. @throws Refused as root, and for a token that is no runner's */
export async function runnerCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  assertUnprivileged()
  const folder = given.maybe('folder') ?? usualFolder()
  const config = await readConfig(folder)
  const once = given.has('once')
  const machine = { builds: join(folder, 'builds'), caches: join(folder, 'cache') }
  // What a killed runner has left behind.
  await rm(machine.builds, { recursive: true, force: true })
  const api = new RunnerApi(config)
  const stop = stopSignals()
  const running = new Set<Promise<void>>()

  const work = async (job: ReceivedJob): Promise<void> => {
    const { name } = job.job_info
    terminal.err(`job ${job.id} (${name}) begins\n`)
    try {
      terminal.err(`job ${job.id} (${name}): ${await runJob(api, job, machine)}\n`)
      await trimCaches(machine.caches)
    } catch (error) {
      terminal.err(`job ${job.id} (${name}) is lost: ${String(error)}\n`)
    }
  }

  terminal.err(`waiting for jobs of ${config.url}; Ctrl-C ends it after those that run\n`)
  while (!stop.aborted) {
    const job = await ask(api, stop, terminal)
    if (job !== undefined) {
      const done: Promise<void> = work(job).finally(() => running.delete(done))
      running.add(done)
      if (once) break
      if (running.size >= config.concurrent) await Promise.race([...running, aborted(stop)])
    } else await pause(PAUSE, undefined, { signal: stop }).catch(() => {})
  }
  if (running.size > 0) terminal.err(`${running.size} jobs are still running; a second signal leaves them\n`)
  await Promise.all(running)
  return 0
}

/** A job, if there is one. A server that is away comes back. @throws Refused for a token that is no runner's any more */
async function ask(api: RunnerApi, stop: AbortSignal, terminal: Terminal): Promise<ReceivedJob | undefined> {
  try {
    return await api.requestJob(stop)
  } catch (error) {
    if (stop.aborted) return undefined
    if (error instanceof RefusedByServer && (error.status === 403 || error.status === 401))
      throw new Refused('the server does not know this runner any more: register it again')
    terminal.err(`no job can be asked for: ${reasonOf(error)}; trying again\n`)
    await pause(LONGER_PAUSE, undefined, { signal: stop }).catch(() => {})
    return undefined
  }
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Scripts of others may do what this account may. @throws Refused as root */
export function assertUnprivileged(): void {
  if (process.platform !== 'linux') throw new Refused('the runner needs Linux')
  if (process.getuid?.() === 0)
    throw new Refused(
      'jobs would be root on this machine: start the runner as an account that may do nothing else',
    )
}

/** @throws UsageError for what is no URL of a server */
export function serverUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UsageError(`${text} is no URL of a server, such as https://forge.example.org`)
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}
