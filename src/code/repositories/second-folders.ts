import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import { mayRemove } from '#platform/db/locks.ts'
import { transact } from '#platform/db/transaction.ts'
import { isUnused } from './holder.ts'
import type { Repositories } from './repositories.ts'
import type { Place } from './rows.ts'

/** A second folder of a repository, which a move to another storage has made or left behind. */
export interface SecondFolder extends Place {
  /** The id of the row that names it. */
  readonly id: number
  readonly move_id: number
}

/** The folder that the row of the repository does not name. */
const secondStorage = sql<string>`case when c.switched_at is null then c.destination_storage else c.source_storage end`
const secondPath = sql<string>`case when c.switched_at is null then c.destination_path else c.source_path end`

/** The second folders, those of one move or those that no move needs any more. */
export async function secondFolders(
  { source }: Pick<Repositories, 'source'>,
  of: { readonly move: number } | 'no move',
): Promise<SecondFolder[]> {
  const query = source.db
    .selectFrom('repository_storage_copies as c')
    .select(['c.id', 'c.move_id', secondStorage.as('storage'), secondPath.as('relative_path')])
    .orderBy('c.id')
  if (of !== 'no move') return query.where('c.move_id', '=', of.move).execute()
  return query
    .leftJoin('repository_storage_moves as m', 'm.id', 'c.move_id')
    .where((eb) =>
      eb.or([eb('m.id', 'is', null), eb('m.state', 'in', ['failed', 'finished', 'cleanup failed'])]),
    )
    .execute()
}

/**
 * Removes a second folder, and then the row that names it, so that a process may stop at any moment.
 * @returns false when somebody still reads there.
 * @throws when the folder cannot be removed, or a repository is there after all
 */
export async function removeSecondFolder(repositories: Repositories, folder: SecondFolder): Promise<boolean> {
  const { source, git } = repositories
  const location = await repositories.locationOf(folder)
  const free = await transact(source, { author: null, ip: null }, async (tx) => {
    const { storage, relative_path } = folder
    const current = await tx.db
      .selectFrom('repositories')
      .select('id')
      .where('storage', '=', storage)
      .where('relative_path', '=', relative_path)
      .executeTakeFirst()
    if (current !== undefined) throw new Error(`${storage}:${relative_path} is repository ${current.id}`)
    const { rows } = await sql<{ may: boolean }>`select ${mayRemove()} as may`.execute(tx.db)
    return rows[0]?.may === true && isUnused(tx, relative_path)
  })
  git.readers.forget(location)
  if (!free || git.isUsing(location.folder)) return false
  await rm(location.folder, { recursive: true, force: true })
  await source.db.deleteFrom('repository_storage_copies').where('id', '=', folder.id).execute()
  return true
}
