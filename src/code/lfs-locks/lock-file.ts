import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { unavailable } from '#platform/refusals.ts'
import type { LfsProject } from '#code/lfs/lfs-project.ts'
import { findLockOf, type LfsLock } from './queries.ts'

export interface Locking {
  readonly lock: LfsLock
  /** Whether the file was locked already, by whomever. */
  readonly wasLocked: boolean
}

/** How often it is tried again when somebody unlocks the file at the same moment. */
const TRIES = 3

/** Locks a file for the author of the transaction. Nobody else may push changes of it from then on. */
export async function lockFile(tx: Tx, project: LfsProject, owner: Owner, path: string): Promise<Locking> {
  for (let run = 1; run <= TRIES; run += 1) {
    const made = await tx.db
      .insertInto('lfs_locks')
      .values({ project_id: project.id, path, user_id: owner.id, created_at: tx.now })
      .onConflict((oc) => oc.constraint('lfs_locks_path_key').doNothing())
      .returning(['id', 'created_at'])
      .executeTakeFirst()
    if (made !== undefined) {
      const target = { type: 'LfsLock', id: made.id }
      record(tx, { name: 'file locked', namespace: project.namespace_id, target, details: { path } })
      const lock = { ...made, path, user_id: owner.id, username: owner.username }
      return { lock, wasLocked: false }
    }
    const lock = await findLockOf(tx, project.id, path)
    if (lock !== undefined) return { lock, wasLocked: true }
  }
  throw unavailable('others lock and unlock this file at the moment')
}

interface Owner {
  readonly id: number
  readonly username: string
}
