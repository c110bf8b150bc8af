import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/** The file in a data folder that tells that `forgelet restore` has begun and not finished. */
export const RESTORE_MARK = 'restore-unfinished'

/** The table that tells the same in a database. */
export const RESTORE_TABLE = 'restore_unfinished'

/** A restore was interrupted: what is there looks like an instance and is a part of one. */
export class RestoreUnfinished extends Error {
  override readonly name = 'RestoreUnfinished'
}

/** @throws {RestoreUnfinished} when the data folder holds a part of a backup. */
export async function assertFolderWhole(dataDir: string): Promise<void> {
  const marked = await access(join(dataDir, RESTORE_MARK)).then(
    () => true,
    () => false,
  )
  if (!marked) return
  throw new RestoreUnfinished(
    `A backup is being restored to the data folder ${dataDir}, or that was interrupted. If no "forgelet restore" runs: ` +
      'remove everything in the folder, and restore again.',
  )
}

/** @throws {RestoreUnfinished} when the database holds a part of a backup. */
export async function assertDatabaseWhole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ marked: boolean }>('select to_regclass($1) is not null as marked', [
    `public.${RESTORE_TABLE}`,
  ])
  if (rows[0]?.marked !== true) return
  throw new RestoreUnfinished(
    'A backup is being restored to this database, or that was interrupted. If no "forgelet restore" runs: ' +
      'drop the database, create it again, and restore again.',
  )
}
