import { mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Api, retry, RefusedByServer } from './api.ts'
import { type ArtifactPlace, getArtifacts, sendArtifacts } from './artifacts.ts'
import { type CachePlace, restoreCaches, saveCaches } from './caches.ts'
import type { Job, Step } from './job.ts'
import { asFailure, interrupted, type Interruption, JobFailure } from './failures.ts'
import { JobClient, type JobEnd } from './job-client.ts'
import { JobLog } from './job-log.ts'
import { killMarked, MARK } from './leftovers.ts'
import { releaseScript, wantedRelease } from './release.ts'
import { runScript } from './run-script.ts'
import { scriptOf } from './script.ts'
import { gitEnvironment, sourcesScript } from './sources.ts'
import { JobVariables } from './variables.ts'

/** Where a runner works. */
export interface Workplace {
  readonly folder: string
  /** Which of the jobs at once this is, from 0: each has its own files. */
  readonly slot: number
  readonly version: string
  readonly environment: Readonly<NodeJS.Dict<string>>
  /** Ends the job because the runner ends. */
  readonly stop: AbortSignal
}

/** Milliseconds that `after_script` may take. */
const AFTER_SCRIPT = 5 * 60_000
/** Pauses before git is asked again, in milliseconds. */
const GIT_PAUSES = [0, 2_000, 5_000, 10_000]
/** A timer of more milliseconds would be none. */
const LONGEST_TIMER = 2 ** 31 - 1
/** Milliseconds for which the end of a job is repeated. */
const PATIENCE = 60 * 60_000

/**
 * Runs one job from its sources to its end, which it tells the server.
 * @returns how it failed; undefined where it did not
 */
export async function runJob(api: Api, job: Job, place: Workplace): Promise<JobFailure | undefined> {
  const client = new JobClient(api, job)
  const work = join(place.folder, 'work', String(job.id))
  const run = new JobRun(job, client, place, work)
  try {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { recursive: true, mode: 0o700 })
    return await run.run()
  } catch (error) {
    // Such as a disk without room for a log: the job shall not wait for its time-out.
    const end = { state: 'failed', failureReason: 'runner_system_failure', bytes: 0 } as const
    await retry(() => client.end(end), { until: performance.now() + 60_000 }).catch(() => {})
    throw error
  } finally {
    await killMarked(run.mark)
    await rm(work, { recursive: true, force: true })
  }
}

class JobRun {
  readonly #job: Job
  readonly #client: JobClient
  readonly #place: Workplace
  readonly #work: string
  readonly #folder: string
  readonly #variables: JobVariables
  readonly #interrupted = new AbortController()
  readonly mark: string
  #interruption: Interruption | undefined
  #scripts = 0

  constructor(job: Job, client: JobClient, place: Workplace, work: string) {
    this.#job = job
    this.#client = client
    this.#place = place
    this.#work = work
    this.mark = `${place.folder}:${job.id}`
    const builds = join(place.folder, 'builds')
    const { project_id, project_name } = job.job_info
    const name = project_name
      .replace(/[^\w.-]/g, '-')
      .replace(/^\.+/, '')
      .slice(0, 100)
    this.#folder = join(builds, String(place.slot), String(project_id), name === '' ? 'project' : name)
    this.#variables = new JobVariables(job.variables, {
      own: {
        CI_BUILDS_DIR: builds,
        CI_PROJECT_DIR: this.#folder,
        CI_CONCURRENT_ID: String(place.slot),
        CI_CONCURRENT_PROJECT_ID: String(place.slot),
        CI_RUNNER_VERSION: place.version,
        CI_RUNNER_EXECUTABLE_ARCH: `${process.platform}/${process.arch}`,
        CI_SHARED_ENVIRONMENT: 'true',
      },
      folder: join(work, 'variables'),
      environment: place.environment,
    })
  }

  async run(): Promise<JobFailure | undefined> {
    const log = await JobLog.open(join(this.#work, 'log'), this.#client, (status) => this.#hear(status))
    const { timeout } = this.#job.runner_info
    const timer = setTimeout(() => this.#interrupt('timeout'), Math.min(timeout * 1000, LONGEST_TIMER))
    const stop = () => this.#interrupt('stop')
    this.#place.stop.addEventListener('abort', stop, { once: true })
    if (this.#place.stop.aborted) stop()
    let failure: JobFailure | undefined
    try {
      failure = await this.#do(log)
    } finally {
      clearTimeout(timer)
      this.#place.stop.removeEventListener('abort', stop)
      await log.close()
    }
    // Nobody waits for the end of a job that the server has ended.
    if (this.#interruption !== 'canceled') await this.#tell({ ...endOf(failure), bytes: log.size })
    return failure
  }

  #interrupt(why: Interruption): void {
    this.#interruption ??= why
    if (why === 'canceled') this.#interruption = why
    this.#interrupted.abort(interrupted(why, this.#job.runner_info.timeout))
  }

  /** What the server says of the job with its answers. */
  #hear(status: string): void {
    if (status === 'running' || status === 'pending') return
    this.#interrupt(status === 'canceling' ? 'canceling' : 'canceled')
  }

  /** Does all that the job asks for. @returns how it failed */
  async #do(log: JobLog): Promise<JobFailure | undefined> {
    const { say } = log
    let failure: JobFailure | undefined
    let hasBegun = false
    const { signal } = this.#interrupted
    try {
      await say(`Running with forgelet-runner ${this.#place.version}, by bash on ${hostname()}`)
      for (const line of ignoredIn(this.#job)) await say(line)
      await this.#variables.writeFiles()
      await this.#getSources(log)
      await restoreCaches(this.#caches(log))
      signal.throwIfAborted()
      await getArtifacts(this.#artifacts(log))
      hasBegun = true
      for (const step of this.#steps(false)) await this.#runStep(step, log, signal)
    } catch (error) {
      failure = asFailure(error, signal)
    }
    const isOver = this.#interruption !== undefined && this.#interruption !== 'canceling'
    if (hasBegun && !isOver) await this.#after(log, failure)
    if (!isOver && this.#interruption === undefined) failure = await this.#keep(log, failure)
    await say(failure === undefined ? 'Job succeeded' : `Job failed: ${failure.message}`)
    return failure
  }

  async #getSources(log: JobLog): Promise<void> {
    const hooks = (this.#job.hooks ?? []).filter(({ name }) => name === 'pre_get_sources_script')
    for (const { script } of hooks) {
      const code = await this.#bash(scriptOf(script), log, this.#interrupted.signal, this.#work)
      if (code !== 0)
        throw new JobFailure('script_failure', `pre_get_sources_script: exit code ${code}`, code)
    }
    const script = sourcesScript(this.#job, this.#folder, this.#variables)
    for (const [times, pause] of GIT_PAUSES.entries()) {
      if (times > 0) await log.say(`Git failed: once more in ${pause / 1_000} seconds`)
      await wait(pause, undefined, { signal: this.#interrupted.signal })
      if ((await this.#bash(script, log, this.#interrupted.signal, this.#work)) === 0) return
    }
    throw new JobFailure('runner_system_failure', 'git could not get the sources, see above')
  }

  #steps(after: boolean): Step[] {
    return this.#job.steps.filter(({ name }) => (name === 'after_script') === after)
  }

  async #runStep({ name, script, allow_failure }: Step, log: JobLog, signal: AbortSignal): Promise<void> {
    const words = join(this.#work, 'release')
    const lines = script ?? []
    const text = name === 'release' ? releaseScript(lines, words) : scriptOf(lines)
    if (name === 'release') await log.say('Making the release')
    const code = await this.#bash(text, log, signal, this.#folder)
    if (code !== 0 && allow_failure !== true)
      throw new JobFailure('script_failure', `exit code ${code}`, code)
    if (name === 'release' && code === 0) await this.#release(words, log)
  }

  /** Makes the release that a job describes, with its token. */
  async #release(words: string, log: JobLog): Promise<void> {
    try {
      const wanted = await wantedRelease(words, this.#folder)
      if (wanted === undefined) return
      await this.#client.createRelease(this.#job.job_info.project_id, wanted)
      await log.say('The release is made')
    } catch (error) {
      throw new JobFailure('script_failure', `The release is not made: ${String(error)}`, 1)
    }
  }

  /** `after_script` runs whatever became of the job, and changes nothing of that. */
  async #after(log: JobLog, failure: JobFailure | undefined): Promise<void> {
    const canceled = this.#interruption === 'canceling'
    const status = canceled ? 'canceled' : failure === undefined ? 'success' : 'failed'
    for (const step of this.#steps(true)) {
      const signal = AbortSignal.any([this.#place.stop, AbortSignal.timeout(AFTER_SCRIPT)])
      await log.say('Running after_script')
      const script = `export CI_JOB_STATUS=${status}\n${scriptOf(step.script ?? [])}`
      try {
        const code = await this.#bash(script, log, signal, this.#folder)
        if (code !== 0) await log.say(`after_script failed, which changes nothing: exit code ${code}`)
      } catch (error) {
        await log.say(`after_script failed: ${String(error)}`)
      }
    }
  }

  /** Keeps caches and artifacts. @returns why the job failed, by now */
  async #keep(log: JobLog, failure: JobFailure | undefined): Promise<JobFailure | undefined> {
    const hasPassed = failure === undefined
    try {
      await saveCaches(this.#caches(log), hasPassed)
    } catch (error) {
      await log.say(`The cache is not kept: ${String(error)}`)
    }
    try {
      await sendArtifacts(this.#artifacts(log), hasPassed)
      return failure
    } catch (error) {
      const found = asFailure(error, this.#interrupted.signal)
      await log.say(`The artifacts cannot be sent: ${found.message}`)
      return failure ?? found
    }
  }

  async #bash(script: string, log: JobLog, signal: AbortSignal, folder: string): Promise<number> {
    this.#scripts += 1
    const file = join(this.#work, `script-${this.#scripts}`)
    await writeFile(file, script, { mode: 0o700 })
    return runScript({
      file,
      folder,
      environment: {
        ...this.#variables.environment(),
        ...gitEnvironment(this.#job),
        [MARK]: this.mark,
      },
      signal,
      write: (piece) => log.write(piece),
    })
  }

  #caches({ say }: JobLog): CachePlace {
    const root = join(this.#place.folder, 'cache')
    return { root, folder: this.#folder, job: this.#job, variables: this.#variables, say }
  }

  #artifacts({ say }: JobLog): ArtifactPlace {
    return {
      client: this.#client,
      job: this.#job,
      variables: this.#variables,
      folder: this.#folder,
      work: this.#work,
      signal: this.#interrupted.signal,
      say,
    }
  }

  /** Tells the server how the job went, until it has heard it. */
  async #tell(end: JobEnd): Promise<void> {
    try {
      await retry(() => this.#client.end(end), { until: performance.now() + PATIENCE })
    } catch (error) {
      // It knows better: the job has ended there, or is not this runner's any more.
      if (!(error instanceof RefusedByServer)) throw error
    }
  }
}

/** How a job went, in the words of the protocol. */
function endOf(failure: JobFailure | undefined): Omit<JobEnd, 'bytes'> {
  if (failure === undefined) return { state: 'success', exitCode: 0 }
  const { reason, exitCode } = failure
  return { state: 'failed', failureReason: reason, ...(exitCode !== undefined && { exitCode }) }
}

/** What a job asks for that needs containers: nobody shall look for why it is not there. */
function ignoredIn({ image, services }: Job): string[] {
  const wanted = [
    ...(image ? [`image ${image.name ?? ''}`] : []),
    ...(services ?? []).map(({ name }) => `service ${name ?? ''}`),
  ]
  return wanted.length === 0 ? [] : [`Ignored, because this runner has no containers: ${wanted.join(', ')}`]
}
