import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Tx } from './transaction.ts'

/**
 * Every advisory lock that the program takes, by what it protects. PostgreSQL knows them by number, and a number
 * means one lock in the whole database, so every new lock gets its line here. A number never changes: nodes of two
 * versions run side by side during an update.
 */
export const locks = {
  /** Held while the schema is brought up to date. */
  migrations: 4_703_117_001,
  /** Held while the schema of the job queue is brought up to date. */
  jobMigrations: 4_703_117_002,
  /** Held by the one node that sets up a new instance. */
  firstStart: 4_703_117_003,
  /** Held while removing an administrator's rights. */
  administrators: 4_703_117_101,
  /** Held by a backup: nothing that it has yet to copy may be removed meanwhile. See {@link mayRemove}. */
  removals: 4_703_117_004,
  /** Held while the awards of a removed account are handed over. */
  awards: 5_471_003,
} as const satisfies Record<string, number>

export type Lock = keyof typeof locks

/**
 * Takes the lock on a text until the transaction ends: for names that must be unique where no constraint applies. Two
 * texts may share a lock by chance, and then wait for each other without need.
 * @param text begins with the kind of name.
 */
export async function lockText({ db }: Tx, text: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`.execute(db)
}

/** Takes the lock on a text for as long as the session lasts. Nobody else may want it while it is held. */
export async function holdText(client: pg.ClientBase, text: string): Promise<void> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [text])
}

/** Takes the lock on a text for as long as the session lasts, or until {@link endSharing}. Many may share it. */
export async function shareText(client: pg.ClientBase, text: string): Promise<void> {
  await client.query('select pg_advisory_lock_shared(hashtextextended($1, 0))', [text])
}

/** Gives up what {@link shareText} took. */
export async function endSharing(client: pg.ClientBase, text: string): Promise<void> {
  await client.query('select pg_advisory_unlock_shared(hashtextextended($1, 0))', [text])
}

/** Whether no other session holds the lock on a text. If so, it is this transaction's until it ends. */
export async function isTextFree({ db }: Tx, text: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${text}, 0)) as free`.execute(db)
  return rows[0]?.free === true
}

/**
 * Whether no backup is under way, as a condition in the statement that finds what a job removes outside of the database:
 * bytes, repositories, and what tells how repositories have changed. A statement sees the rows of its beginning and asks
 * for the lock afterwards. So what it finds was to be removed before a later backup takes its snapshot, which does not
 * name it any more.
 */
export const mayRemove = () =>
  sql<boolean>`(select pg_try_advisory_xact_lock_shared(${sql.lit(locks.removals)}))`

/** Milliseconds between two tries. */
const INTERVAL = 100

export interface LockOptions {
  /** Called once when another session holds the lock. */
  readonly onWait?: () => void
}

/**
 * Takes a lock that this session holds until it ends.
 *
 * It polls instead of waiting inside one statement: a waiting statement keeps its snapshot, and building an index
 * concurrently waits for the end of every older snapshot. The two would wait for each other.
 */
export async function takeSessionLock(
  client: pg.ClientBase,
  lock: Lock,
  { onWait = () => {} }: LockOptions = {},
): Promise<void> {
  let told = false
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      locks[lock],
    ])
    if (rows[0]?.taken === true) return
    if (!told) onWait()
    told = true
    await pause(INTERVAL)
  }
}
