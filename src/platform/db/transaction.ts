import { setTimeout as pause } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Clock, Randomness } from '#platform/context.ts'
import { mayRunAgain } from './errors.ts'
import { asTransaction } from './open-transaction.ts'
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
  readonly impersonatorId: number | null
  /** The address the request came from, for audit. */
  readonly ip: string | null
  /** The id of the request, which its log lines and answer carry too; null where none asked. */
  readonly requestId: string | null
  readonly random: Randomness
  /** Has something done after everything else and before the commit, in the order of these calls. */
  readonly beforeCommit: (work: () => Promise<void>) => void
}

export interface TransactionSource {
  readonly db: Db
  readonly clock: Clock
  readonly random: Randomness
  /** Told when a transaction begins anew because of others. */
  readonly onRunAgain?: (error: unknown) => void
}

/** Who writes; what is absent is null. */
export type WrittenBy = Pick<Tx, 'author' | 'ip'> & Partial<Pick<Tx, 'impersonatorId' | 'requestId'>>

/** How often a transaction is run in all, when others are in its way. */
const MAX_RUNS = 6
/** Milliseconds before the second run, at most; each further one may wait twice as long. */
const FIRST_PAUSE = 10

/**
 * Runs `work` in one transaction: all of it happens, with the jobs it enqueues, or none.
 *
 * Other transactions may make it impossible to finish; then everything is undone and `work` runs again, so it may
 * touch nothing but the transaction. When the connection is lost nothing runs again: the commit may have happened.
 */
export async function transact<T>(
  source: TransactionSource,
  by: WrittenBy,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let run = 1; ; run += 1) {
    try {
      return await runOnce(source, by, work)
    } catch (error) {
      if (run === MAX_RUNS || !mayRunAgain(error)) throw error
      source.onRunAgain?.(error)
      // Those who were in each other's way must not meet at the same moment again.
      const [chance = 0] = source.random.bytes(1)
      await pause((FIRST_PAUSE * 2 ** (run - 1) * chance) / 256)
    }
  }
}

function runOnce<T>(
  { db: pool, clock, random }: TransactionSource,
  by: WrittenBy,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const now = clock.now().toISOString()
  return pool.transaction().execute((db) =>
    asTransaction(async () => {
      const last: (() => Promise<void>)[] = []
      const beforeCommit = (work: () => Promise<void>) => void last.push(work)
      const result = await work({
        db,
        now,
        impersonatorId: null,
        requestId: null,
        ...by,
        random,
        beforeCommit,
      })
      for (const finish of last) await finish()
      return result
    }),
  )
}
