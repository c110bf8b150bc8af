import { sql } from 'kysely'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'

export interface HeartbeatOptions {
  readonly db: Db
  readonly log: Log
  /** Milliseconds between two heartbeats. */
  readonly interval: number
  /** Milliseconds without a heartbeat after which a worker counts as dead and its jobs are freed. */
  readonly deadAfter: number
}

/**
 * Registers this process's workers and frees the jobs of workers that vanished; graphile-worker itself leaves them
 * locked for four hours. A worker is the name under which jobs are locked.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  readonly #joining = new Map<string, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #loop: Promise<void>
  /** What it has asked of the database last. */
  #latest: Promise<unknown> = Promise.resolve()
  #failing = false

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#loop = this.#run()
  }

  /** Resolves once the worker is registered. Only then may it take jobs. */
  join(worker: string): Promise<void> {
    const known = this.#joining.get(worker)
    if (known !== undefined) return known
    // Starts after the worker is in the map. Otherwise the first heartbeat would omit it.
    const joining = Promise.resolve().then(() => this.#join())
    this.#joining.set(worker, joining)
    return joining
  }

  /** Unregisters a worker. Other workers may take its jobs at once. */
  leave(worker: string): void {
    if (this.#joining.delete(worker)) void this.#inTurn(() => this.#leave(worker))
  }

  /** Resolves when all workers are unregistered. */
  async stop(): Promise<void> {
    for (const worker of this.#joining.keys()) this.leave(worker)
    this.#stopping.abort()
    await Promise.all([this.#loop, this.#latest])
  }

  /** Does one thing after the other: a heartbeat under way would register a worker again that leaves meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#latest.then(work)
    this.#latest = done.catch(() => {})
    return done
  }

  async #leave(worker: string): Promise<void> {
    const { db, log } = this.#options
    try {
      await sql`
        with gone as (delete from job_workers where id = ${worker})
        select graphile_worker.force_unlock_workers(array[${worker}])`.execute(db)
    } catch (error) {
      // The record expires, and a live worker later does the same.
      log.warn({ err: error, worker }, 'could not sign a job worker off')
    }
  }

  async #join(): Promise<void> {
    const beat = () => this.#inTurn(() => this.#beat(freeOrphans))
    while (!this.#stopping.signal.aborted && !(await beat())) await this.#pause(250)
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#pause(this.#options.interval)
      if (this.#joining.size > 0) await this.#inTurn(() => this.#beat())
    }
  }

  /** @returns whether the database accepted it. */
  async #beat(andThen?: typeof freeOrphans): Promise<boolean> {
    const { db, log, deadAfter } = this.#options
    try {
      const dead = await signIn(db, [...this.#joining.keys()], deadAfter)
      const orphaned = (await andThen?.(db, deadAfter)) ?? []
      for (const worker of [...dead, ...orphaned]) log.warn({ worker }, 'freed the jobs of a dead worker')
      this.#failing = false
      return true
    } catch (error) {
      if (!this.#failing) log.warn({ err: error }, 'job heartbeat failed')
      this.#failing = true
      return false
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {})
  }
}

interface Freed {
  workers: string[]
}

/** Sends heartbeats for these workers. Removes dead ones and frees their jobs, in the same statement. */
async function signIn(db: Db, workers: readonly string[], deadAfter: number): Promise<string[]> {
  const { rows } = await sql<Freed>`
    with alive as (
      insert into job_workers (id, seen_at) select unnest(${workers}::text[]), now()
      on conflict (id) do update set seen_at = excluded.seen_at
    ), dead as (
      delete from job_workers
      where seen_at < now() - make_interval(secs => ${deadAfter / 1000}) and id <> all (${workers}::text[])
      returning id
    )
    select array_agg(id) as workers, graphile_worker.force_unlock_workers(array_agg(id))
    from dead having count(*) > 0`.execute(db)
  return rows.flatMap((row) => row.workers)
}

/**
 * Frees jobs of unregistered workers (a paused process that was given up, came back and died before its next
 * heartbeat). It reads all jobs, so it runs when a worker joins, not at every heartbeat.
 */
async function freeOrphans(db: Db, deadAfter: number): Promise<string[]> {
  const { rows } = await sql<Freed>`
    with orphans as (
      select distinct locked_by as id from graphile_worker.jobs
      where locked_at < now() - make_interval(secs => ${deadAfter / 1000})
        and not exists (select from job_workers where id = locked_by)
    )
    select array_agg(id) as workers, graphile_worker.force_unlock_workers(array_agg(id))
    from orphans having count(*) > 0`.execute(db)
  return rows.flatMap((row) => row.workers)
}
