import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { usesLfs } from '#code/lfs/lfs-project.ts'

/** A file that somebody has locked. */
export interface LfsLock {
  readonly id: number
  /** From the root of the repository. */
  readonly path: string
  readonly created_at: string
  readonly user_id: number
  readonly username: string
}

export interface LockFilter {
  readonly id?: number | undefined
  readonly path?: string | undefined
  /** The id of the last lock of the page before. */
  readonly after?: number | undefined
  readonly limit: number
}

export interface LockPage {
  readonly locks: readonly LfsLock[]
  /** After which the next page begins; undefined on the last one. */
  readonly next: number | undefined
}

const locksOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('lfs_locks as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.id', 'l.path', 'l.created_at', 'l.user_id', 'u.username'])
    .where('l.project_id', '=', projectId)

/** The locks of a project, oldest first, one page of them. */
export async function listLocks(
  db: Db,
  projectId: number,
  { id, path, after = 0, limit }: LockFilter,
): Promise<LockPage> {
  const rows = await locksOf(db, projectId)
    .where('l.id', '>', after)
    .$if(id !== undefined, (query) => query.where('l.id', '=', id ?? 0))
    .$if(path !== undefined, (query) => query.where('l.path', '=', path ?? ''))
    .orderBy('l.id')
    .limit(limit + 1)
    .execute()
  const locks = rows.slice(0, limit)
  return { locks, next: rows.length > limit ? locks.at(-1)?.id : undefined }
}

/** One lock by its id. */
export const findLock = (tx: Tx, projectId: number, id: number): Promise<LfsLock | undefined> =>
  locksOf(tx.db, projectId).where('l.id', '=', id).executeTakeFirst()

/** The lock of a file. */
export const findLockOf = (tx: Tx, projectId: number, path: string): Promise<LfsLock | undefined> =>
  locksOf(tx.db, projectId).where('l.path', '=', path).executeTakeFirst()

/** The first locks of other people, by their paths; none where LFS is switched off. @param userId null for somebody who cannot lock anything */
export const locksOfOthers = (
  db: Db,
  projectId: number,
  userId: number | null,
  { limit, paths }: { readonly limit: number; readonly paths?: readonly string[] },
): Promise<Pick<LfsLock, 'path' | 'username'>[]> =>
  locksOf(db, projectId)
    .innerJoin('projects as p', 'p.id', 'l.project_id')
    .where(usesLfs('p'))
    .$if(userId !== null, (query) => query.where('l.user_id', '!=', userId ?? 0))
    .$if(paths !== undefined, (query) =>
      query.where((eb) => eb('l.path', '=', eb.fn.any(eb.val([...(paths ?? [])])))),
    )
    .orderBy('l.path')
    .limit(limit)
    .execute()
