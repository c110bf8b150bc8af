import { setTimeout as pause } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import type { Clock, Randomness } from '#platform/context.ts'
import { findConnection, readLast } from './driver.ts'
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
 * The argument of every writing function: the open transaction, its moment, and its author. Only {@link transact}
 * makes one, so a write outside a transaction does not compile.
 */
export interface Tx {
  readonly db: Transaction<DB>
  /** ISO 8601 in UTC with milliseconds; the value of `created_at` and `updated_at`. */
  readonly now: string
  readonly author: Author | null
  /** The administrator who acts as the author, by sudo or with an impersonation token. */
  readonly impersonatorId: number | null
  /** The address that the request came from, for audit. */
  readonly ip: string | null
  /** The id of the request, as in its log lines and answer; null outside requests. */
  readonly requestId: string | null
  readonly random: Randomness
  /** Whether the instance sends mail; otherwise none is kept. */
  readonly sendsMail: boolean
  /** Runs `work` after everything else and before the commit, in the order of these calls. */
  readonly beforeCommit: (work: () => Promise<void>) => void
}

export interface TransactionSource {
  readonly db: Db
  readonly clock: Clock
  readonly random: Randomness
  /** Whether the instance sends mail; absent means that what is written causes none. */
  readonly sendsMail?: boolean
  /** Called when a transaction starts over because of others. */
  readonly onRunAgain?: (error: unknown) => void
}

/** Who writes; absent fields are null. */
export type WrittenBy = Pick<Tx, 'author' | 'ip'> & Partial<Pick<Tx, 'impersonatorId' | 'requestId'>>

/** How often a transaction is run in all when others conflict with it. */
const MAX_RUNS = 6
/** The longest pause before the second run, in milliseconds. It doubles for each further run. */
const FIRST_PAUSE = 10

/**
 * Runs `work` in one transaction: all of it happens, with the jobs it enqueues, or none.
 *
 * Other transactions may conflict with it. Then everything is undone and `work` runs again, so it may touch nothing
 * but the transaction. When the connection is lost nothing runs again: the commit may have happened.
 * @param answer reads what the result is, with everything else written ({@link readLast}).
 */
export async function transact<T, Answer = T>(
  source: TransactionSource,
  by: WrittenBy,
  work: (tx: Tx) => Promise<T>,
  answer: (tx: Tx, made: T) => Promise<Answer>,
): Promise<Answer>
export async function transact<T>(
  source: TransactionSource,
  by: WrittenBy,
  work: (tx: Tx) => Promise<T>,
): Promise<T>
export async function transact<T>(
  source: TransactionSource,
  by: WrittenBy,
  work: (tx: Tx) => Promise<T>,
  answer?: (tx: Tx, made: T) => Promise<unknown>,
): Promise<unknown> {
  const answered = await untilDone(source, () => runOnce(source, by, work, answer))
  return answered()
}

/** Runs a transaction until others do not conflict with it. */
async function untilDone<T>(source: TransactionSource, once: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run += 1) {
    try {
      return await once()
    } catch (error) {
      if (run === MAX_RUNS || !mayRunAgain(error)) throw error
      source.onRunAgain?.(error)
      // Conflicting transactions must not retry at the same moment.
      const [chance = 0] = source.random.bytes(1)
      await pause((FIRST_PAUSE * 2 ** (run - 1) * chance) / 256)
    }
  }
}

function runOnce<T>(
  { db: pool, clock, random, sendsMail = false }: TransactionSource,
  by: WrittenBy,
  work: (tx: Tx) => Promise<T>,
  answer?: (tx: Tx, made: T) => Promise<unknown>,
): Promise<() => unknown> {
  const now = clock.now().toISOString()
  return pool.transaction().execute((db) =>
    asTransaction(async () => {
      const last: (() => Promise<void>)[] = []
      const beforeCommit = (work: () => Promise<void>) => void last.push(work)
      const identified = { impersonatorId: null, requestId: null, ...by }
      const tx: Tx = { db, now, ...identified, random, sendsMail, beforeCommit }
      await findConnection(db)
      const result = await work(tx)
      for (const finish of last) await finish()
      return answer === undefined ? () => result : readLast(db, () => answer(tx, result))
    }),
  )
}
