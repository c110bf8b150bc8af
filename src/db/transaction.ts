import type { Transaction } from 'kysely'
import type { Clock, Randomness } from '#context.ts'
import type { Db } from './pool.ts'
import type { DB } from './schema.ts'

/** On whose behalf a write happens: a person or bot, or null for the system itself. */
export interface Author {
  readonly id: number
  readonly username: string
}

/**
 * What every writing function takes: the open transaction, the moment it counts as, and who does it. Only
 * {@link transact} makes one, so a write outside a transaction does not compile.
 */
export interface Tx {
  readonly db: Transaction<DB>
  /** ISO 8601 in UTC with milliseconds; what `created_at` and `updated_at` become. */
  readonly now: string
  readonly author: Author | null
  /** The administrator who acts as the author, by sudo or with an impersonation token. */
  readonly behind: number | null
  /** The address the request came from, for audit. */
  readonly ip: string | null
  readonly random: Randomness
}

export interface TransactionSource {
  readonly db: Db
  readonly clock: Clock
  readonly random: Randomness
}

/** Runs `work` in one transaction: all of it happens, with the jobs it enqueues, or none. */
export function transact<T>(
  source: TransactionSource,
  by: Pick<Tx, 'author' | 'ip'> & Partial<Pick<Tx, 'behind'>>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const now = source.clock.now().toISOString()
  return source.db
    .transaction()
    .execute((db) => work({ db, now, behind: null, ...by, random: source.random }))
}
