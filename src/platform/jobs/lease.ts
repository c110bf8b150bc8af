import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Log } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * The exclusive right to do something, as a row in the database. It needs no connection, outlives a lost one, and
 * passes to others when its holder has not renewed it for a while. All times are the database's.
 */
export interface Lease {
  /** Aborted when the lease is lost or the work should end. Work checks it between its steps. */
  readonly signal: AbortSignal
  /**
   * Ties a transaction to the lease: no other process gets the lease before the transaction ends.
   * @throws {LeaseLost} when another process already has it, so that two never write at once.
   */
  guard(tx: Tx): Promise<void>
}

/** Another process does that work now. A job that throws this is tried again later. */
export class LeaseHeld extends Error {
  override readonly name = 'LeaseHeld'
  constructor(lease: string) {
    super(`Somebody else holds the lease "${lease}"`)
  }
}

/** The lease was not renewed in time, and others may have it. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor(lease: string) {
    super(`The lease "${lease}" was lost`)
  }
}

/** What {@link withLease} needs. The context of a job has it all. */
export interface LeaseHolder {
  readonly db: Db
  readonly log: Log
  /** Ends the work. */
  readonly signal: AbortSignal
}

/**
 * Milliseconds without renewal after which others may take over. It is shorter than the time in which a dead worker's
 * jobs wait to run again.
 */
const TERM = 15_000

/**
 * Does `work` while no other process on any node does work of that name. Renews the lease until the work has ended.
 *
 * @param name a few words and perhaps an id; its row is deleted when the work ends.
 * @throws {LeaseHeld} at once when another process does that work; whatever `work` throws.
 */
export async function withLease<T>(
  holder: LeaseHolder,
  name: string,
  work: (lease: Lease) => Promise<T>,
  term = TERM,
): Promise<T> {
  const token = await take(holder.db, name, term)
  if (token === undefined) throw new LeaseHeld(name)
  const lease = new HeldLease(holder, { name, token, term })
  try {
    return await work(lease)
  } finally {
    await lease.release()
  }
}

interface LeaseRow {
  readonly name: string
  readonly token: number
  readonly term: number
}

class HeldLease implements Lease {
  readonly signal: AbortSignal
  readonly #holder: LeaseHolder
  readonly #held: LeaseRow
  readonly #lost = new AbortController()
  readonly #released = new AbortController()
  readonly #renewing: Promise<void>

  constructor(holder: LeaseHolder, held: LeaseRow) {
    this.#holder = holder
    this.#held = held
    this.signal = AbortSignal.any([holder.signal, this.#lost.signal])
    this.#renewing = this.#renew()
  }

  async guard({ db }: Tx): Promise<void> {
    const { name, token } = this.#held
    const { rows } = await sql`
      select 1 from leases where name = ${name} and token = ${token} for share`.execute(db)
    if (rows.length === 0) throw this.#lose()
  }

  async release(): Promise<void> {
    this.#released.abort()
    await this.#renewing
    const { name, token } = this.#held
    try {
      await sql`delete from leases where name = ${name} and token = ${token}`.execute(this.#holder.db)
    } catch (error) {
      this.#holder.log.warn({ err: error, lease: name }, 'could not give a lease back; it ends by itself')
    }
  }

  async #renew(): Promise<void> {
    const { name, term } = this.#held
    let renewed = performance.now()
    while (await this.#wait(term / 3)) {
      const asked = performance.now()
      try {
        if (!(await renew(this.#holder.db, this.#held))) return void this.#lose()
        renewed = asked
      } catch (error) {
        this.#holder.log.warn({ err: error, lease: name }, 'could not renew a lease')
        // While the database is down no other process can take it. What matters is how long that may last.
        if (performance.now() - renewed > term) return void this.#lose()
      }
    }
  }

  /** @returns whether the lease is still needed. */
  async #wait(milliseconds: number): Promise<boolean> {
    const { signal } = this.#released
    await pause(milliseconds, undefined, { signal, ref: false }).catch(() => {})
    return !signal.aborted
  }

  #lose(): LeaseLost {
    const lost = new LeaseLost(this.#held.name)
    this.#lost.abort(lost)
    return lost
  }
}

/** @returns the token under which the lease is now held; undefined when another process holds it. */
async function take(db: Db, name: string, term: number): Promise<number | undefined> {
  const { rows } = await sql<{ token: number }>`
    insert into leases as held (name, holder, until)
    values (${name}, ${`${hostname()} ${process.pid}`}, now() + make_interval(secs => ${term / 1000}))
    on conflict (name) do update set holder = excluded.holder, token = default, until = excluded.until
      where held.until < now()
    returning token`.execute(db)
  return rows[0]?.token
}

async function renew(db: Db, { name, token, term }: LeaseRow): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update leases set until = now() + make_interval(secs => ${term / 1000})
    where name = ${name} and token = ${token}`.execute(db)
  return numAffectedRows > 0n
}
