import type { Randomness } from '#platform/context.ts'
import type { Listener } from '#platform/db/listener.ts'
import { onBehalfOfNobody } from '#platform/shares/caller.ts'
import { QUEUE_CHANNEL, readTold, type WaitingJobs } from '../jobs/tell-runners.ts'
import { BEGINNING, type QueuePosition } from './choose-jobs.ts'
import type { AskingRunner } from './asking-runner.ts'

/** What of a runner decides which jobs it is told of. */
export type ToldRunner = Pick<
  AskingRunner,
  'id' | 'runner_type' | 'group_namespace_id' | 'run_untagged' | 'tags' | 'projects'
>

export interface JobQueueOptions {
  readonly listener: Pick<Listener, 'on' | 'onReconnect'>
  readonly random: Randomness
  /** Whether any of these jobs still waits. */
  readonly anyWaits: (jobs: readonly number[]) => Promise<boolean>
}

/** Milliseconds for which a runner is known to have nothing to do: what its settings let it do may change. */
const IDLE_FOR = 30_000
const MOST_IDLE = 10_000

/** Jobs that were told, and those who wait for such jobs and have not been called yet. */
interface Round {
  readonly jobs: readonly number[]
  /** Whether these are all that were told. */
  readonly areAll: boolean
  readonly waiting: Watch[]
}

/**
 * What a process knows of the jobs that wait for runners. It hears of them by one connection, and calls as many runners as there are jobs;
 * one that gets none passes the call on. While nothing is told, nothing runs.
 */
export class JobQueue {
  /** Where the next search begins: projects take turns when there are very many. */
  position: QueuePosition = BEGINNING
  readonly #options: JobQueueOptions
  readonly #watches = new Set<Watch>()
  readonly #idle = new Map<string, { readonly runner: ToldRunner; readonly until: number }>()
  #listening: Promise<void> | undefined
  #isClosed = false
  /** Distinguishes this process in what runners are told. */
  #name: string | undefined
  #told = 0

  constructor(options: JobQueueOptions) {
    this.#options = options
  }

  /** Begins to hear of jobs for a runner. Begin before a search, so that nothing is missed, and end it. */
  async watch(runner: ToldRunner): Promise<Watch> {
    await (this.#listening ??= this.#listen())
    const watch = new Watch(runner, this.#isClosed, (one, how) => this.#settle(one, how))
    this.#watches.add(watch)
    return watch
  }

  /** Whether a search found nothing, and nothing has come since. */
  isIdle(key: string): boolean {
    const until = this.#idle.get(key)?.until
    return until !== undefined && until > performance.now()
  }

  /** Remembers that a search found nothing. */
  noteIdle(key: string, runner: ToldRunner): void {
    this.#idle.delete(key)
    this.#idle.set(key, { runner, until: performance.now() + IDLE_FOR })
    const [oldest] = this.#idle.keys()
    if (this.#idle.size > MOST_IDLE && oldest !== undefined) this.#idle.delete(oldest)
  }

  /** What runners send with the next request. It changes with each job that is told of. */
  get stamp(): string {
    this.#name ??= this.#options.random.bytes(8).toString('hex')
    return `${this.#name}-${this.#told}`
  }

  /** Requests of a runner that look or wait. */
  held(runnerId: number): number {
    let held = 0
    for (const { runner } of this.#watches) if (runner.id === runnerId) held += 1
    return held
  }

  /** Lets everybody go who waits, and those who come. */
  close(): void {
    this.#isClosed = true
    for (const watch of this.#watches) watch.close()
  }

  async #listen(): Promise<void> {
    const { listener } = this.#options
    await onBehalfOfNobody(() => listener.on(QUEUE_CHANNEL, (payload) => this.#tell(payload)))
    listener.onReconnect(() => this.#callAll())
  }

  #tell(payload: string): void {
    this.#told += 1
    const told = readTold(payload)
    if (told === undefined) {
      this.#callAll()
      return
    }
    for (const [key, { runner }] of this.#idle) if (concerns(told, runner)) this.#idle.delete(key)
    const round: Round = { jobs: told.jobs, areAll: told.count <= told.jobs.length, waiting: [] }
    for (const watch of this.#watches) {
      if (!concerns(told, watch.runner)) continue
      if (watch.isWaiting) round.waiting.push(watch)
      else watch.wasTold = true
    }
    for (let calls = 0; calls < told.count && callNext(round); calls += 1);
  }

  #callAll(): void {
    this.#idle.clear()
    for (const watch of this.#watches) {
      watch.wasTold = true
      watch.call(undefined)
    }
  }

  /** Goes on with a round after a call, if it led to nothing and there is still something. */
  async #settle(watch: Watch, { found, ends }: Outcome): Promise<void> {
    const { round } = watch
    watch.round = undefined
    if (ends) this.#watches.delete(watch)
    if (round === undefined || found || round.waiting.length === 0) return
    if (!round.areAll || (await this.#options.anyWaits(round.jobs))) callNext(round)
  }
}

/** What a search led to, and whether it was the last one of its request. */
interface Outcome {
  readonly found: boolean
  readonly ends: boolean
}
type Settle = (watch: Watch, how: Outcome) => Promise<void>

function callNext(round: Round): boolean {
  for (let next = round.waiting.shift(); next !== undefined; next = round.waiting.shift()) {
    if (!next.isWaiting) continue
    next.call(round)
    return true
  }
  return false
}

/** One request of a runner, for as long as it looks and waits for a job. */
export class Watch {
  readonly runner: ToldRunner
  /** Whether jobs were told while it did not wait. */
  wasTold = false
  round: Round | undefined
  readonly #settle: Settle
  #wake: ((isCalled: boolean) => void) | undefined
  #isClosed: boolean

  constructor(runner: ToldRunner, isClosed: boolean, settle: Settle) {
    this.runner = runner
    this.#isClosed = isClosed
    this.#settle = settle
  }

  get isWaiting(): boolean {
    return this.#wake !== undefined
  }

  /** @returns whether there may be a job now; false after the time, or when nobody waits any more */
  async wait(milliseconds: number, left: AbortSignal): Promise<boolean> {
    if (this.#isClosed || left.aborted) return false
    if (this.wasTold) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const leave = (): void => resolve(false)
    const timer = setTimeout(leave, milliseconds)
    left.addEventListener('abort', leave, { once: true })
    this.#wake = resolve
    try {
      return await promise
    } finally {
      this.#wake = undefined
      clearTimeout(timer)
      left.removeEventListener('abort', leave)
    }
  }

  call(round: Round | undefined): void {
    if (round !== undefined) this.round = round
    const wake = this.#wake
    this.#wake = undefined
    wake?.(true)
  }

  close(): void {
    this.#isClosed = true
    this.#wake?.(false)
  }

  /** Tells what a search led to. */
  searched(found: boolean): Promise<void> {
    return this.#settle(this, { found, ends: false })
  }

  end(found: boolean): Promise<void> {
    return this.#settle(this, { found, ends: true })
  }
}

/** Whether a runner may be able to take one of the jobs that were told. */
function concerns(
  { project, nodes, instance, groups, tags }: WaitingJobs,
  runner: Pick<ToldRunner, 'runner_type' | 'group_namespace_id' | 'run_untagged' | 'tags' | 'projects'>,
): boolean {
  const { runner_type, group_namespace_id, projects } = runner
  const serves =
    runner_type === 'instance_type'
      ? instance
      : runner_type === 'group_type'
        ? groups && group_namespace_id !== null && nodes.includes(group_namespace_id)
        : projects === null || projects.includes(project)
  if (!serves || tags === null) return serves
  return tags.some((wanted) =>
    wanted.length === 0 ? runner.run_untagged : wanted.every((tag) => runner.tags.includes(tag)),
  )
}
