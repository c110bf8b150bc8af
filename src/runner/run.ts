import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Api, retry, RefusedByServer, textOf, Unanswered } from './api.ts'
import type { RunnerConfig } from './config.ts'
import { features } from './features.ts'
import { isJob, isRefusable, type Job } from './job.ts'
import { JobClient } from './job-client.ts'
import { killMarked } from './leftovers.ts'
import { runJob } from './run-job.ts'

export interface RunnerOptions {
  readonly folder: string
  readonly config: RunnerConfig
  /** Jobs at once. */
  readonly concurrent: number
  readonly version: string
  readonly environment: Readonly<NodeJS.Dict<string>>
  /** Takes no more jobs, and ends when those under way have. */
  readonly drain: AbortSignal
  /** Ends the jobs under way. */
  readonly stop: AbortSignal
  readonly say: (text: string) => void
}

/** The token is not a runner's any more. */
export class NoRunner extends Error {
  override readonly name = 'NoRunner'
}

/** Milliseconds between two requests for jobs, where the server does not hold them. */
const PAUSE = 3_000
/** Milliseconds for which a server may hold a request until there is a job. */
const HOLD = 120_000

/** Asks for jobs and runs them, until it shall stop. @throws {NoRunner} */
export async function runRunner(options: RunnerOptions): Promise<void> {
  const { folder, config, concurrent, version, drain, say } = options
  // What a runner that was killed has left.
  await killMarked(folder)
  await rm(join(folder, 'work'), { recursive: true, force: true })
  const api = new Api(config.url, version)
  const free = Array.from({ length: concurrent }, (_, slot) => slot)
  const running = new Set<Promise<void>>()
  const requests = new JobRequests(api, options)
  try {
    while (!drain.aborted) {
      const slot = free.shift()
      if (slot === undefined) {
        await Promise.race(running)
        continue
      }
      const job = await requests.next()
      if (job === undefined) {
        free.unshift(slot)
        continue
      }
      const name = nameOf(job)
      const since = performance.now()
      const ended = (how: string) =>
        say(`${name} ${how} (${((performance.now() - since) / 1_000).toFixed(1)} s)`)
      say(`${name} begins`)
      const work = runJob(api, job, { ...options, slot })
        .then((failure) => ended(failure === undefined ? 'succeeded' : `failed: ${failure.message}`))
        .catch((error: unknown) => ended(`could not be run: ${String(error)}`))
        .finally(() => {
          free.unshift(slot)
          running.delete(work)
        })
      running.add(work)
    }
  } finally {
    await Promise.all(running)
  }
}

/** A job, for whoever looks after the runner. Names are other people's texts: none of them moves the cursor of a terminal. */
const nameOf = ({ id, job_info: { name, project_name, project_full_path } }: Job): string =>
  `job ${id} (${name} of ${project_full_path ?? project_name})`.replace(/\p{C}/gu, '?').slice(0, 300)

/** Asks a server for jobs, one request after the other. */
class JobRequests {
  readonly #api: Api
  readonly #options: RunnerOptions
  #lastUpdate = ''
  /** Of the request that has no answer yet: a job that was lost with an answer is given again. */
  #id = randomUUID()
  #hasFailed = false

  constructor(api: Api, options: RunnerOptions) {
    this.#api = api
    this.#options = options
  }

  /** @returns the next job; undefined where there is none for now. @throws {NoRunner} */
  async next(): Promise<Job | undefined> {
    const { drain, say } = this.#options
    try {
      const since = performance.now()
      const isFirst = this.#lastUpdate === ''
      const answer = await retry(() => this.#request(), {
        until: Infinity,
        signal: drain,
        onFailure: ({ message }) => {
          if (!this.#hasFailed) say(`the server does not answer: ${message}. It is asked again until it does`)
          this.#hasFailed = true
        },
      })
      if (this.#hasFailed) say('the server answers again')
      this.#hasFailed = false
      this.#id = randomUUID()
      if (answer !== undefined) return await this.#accept(answer)
      // A server that holds requests has let the time pass.
      const left = PAUSE - (performance.now() - since)
      const holds = isFirst && this.#lastUpdate !== ''
      if (left > 0 && !holds) await wait(left, undefined, { signal: drain })
      return undefined
    } catch (error) {
      if (drain.aborted) return undefined
      if (error instanceof RefusedByServer && (error.status === 403 || error.status === 401))
        throw new NoRunner(
          `${this.#options.config.url} does not know this runner (${error.message}): register it again`,
        )
      if (!(error instanceof RefusedByServer)) throw error
      say(`the server refuses to give jobs: ${error.message}`)
      await wait(10 * PAUSE, undefined, { signal: drain }).catch(() => {})
      return undefined
    }
  }

  async #request(): Promise<unknown> {
    const { config, version, drain } = this.#options
    const answer = await this.#api.send({
      method: 'POST',
      path: '/jobs/request',
      json: {
        token: config.token,
        system_id: config.system_id,
        request_id: this.#id,
        last_update: this.#lastUpdate,
        info: {
          name: 'forgelet-runner',
          version,
          platform: process.platform,
          architecture: process.arch === 'x64' ? 'amd64' : process.arch,
          executor: 'shell',
          shell: 'bash',
          features,
        },
      },
      timeout: HOLD,
      signal: drain,
    })
    const text = await textOf(answer)
    this.#lastUpdate = answer.headers.get('x-gitlab-last-update') ?? this.#lastUpdate
    if (answer.status !== 201) return undefined
    try {
      const job: unknown = JSON.parse(text)
      return job
    } catch (error) {
      throw new Unanswered('the job is no JSON', undefined, error)
    }
  }

  /** A job that cannot be read ends at once, so that nobody waits for it. */
  async #accept(given: unknown): Promise<Job | undefined> {
    if (isJob(given)) return given
    this.#options.say('the server gave a job that this runner cannot read: a newer runner may')
    if (!isRefusable(given)) return undefined
    const client = new JobClient(this.#api, given)
    await retry(() => client.end({ state: 'failed', failureReason: 'runner_unsupported', bytes: 0 }), {
      until: performance.now() + 60_000,
      signal: this.#options.drain,
    })
    return undefined
  }
}
