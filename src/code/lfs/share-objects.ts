import { sql } from 'kysely'
import type { StoredFile } from '#platform/files/files.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { refusal } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { maxProject, noRoom } from './limits.ts'
import { lfsSizeOf } from './queries.ts'

/** Gives a fork all objects of its source, which counts them as long as it is a fork. One statement, whatever their number. */
export async function inheritObjects(tx: Tx, projectId: number, sourceId: number): Promise<void> {
  await sql`
    insert into lfs_objects (project_id, file_id, size, inherited, created_at)
    select ${projectId}, o.file_id, o.size, exists (select from project_forks f where f.project_id = ${projectId}), ${tx.now}
    from lfs_objects o where o.project_id = ${sourceId}
    on conflict do nothing`.execute(tx.db)
}

/** Objects of an archive that one statement writes. */
const AT_ONCE = 1_000

/**
 * Gives a project objects, which are in the file store.
 * @throws 400 when they take more than a project may have
 */
export async function giveObjects(
  tx: Tx,
  projectId: number,
  files: readonly Pick<StoredFile, 'id' | 'size'>[],
  settings: Settings,
): Promise<void> {
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const rows = files.slice(at, at + AT_ONCE)
    await tx.db
      .insertInto('lfs_objects')
      .values(rows.map(({ id, size }) => ({ project_id: projectId, file_id: id, size, created_at: tx.now })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  if (files.length > 0 && (await lfsSizeOf(tx.db, projectId)) > maxProject(settings))
    throw refusal(noRoom(settings))
}

/** The files of all objects of a project, with those that it has from its source. */
export async function allObjectsOf(db: Db, projectId: number): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"
    from lfs_objects o join files f on f.id = o.file_id
    where o.project_id = ${projectId} order by f.sha256 limit ${MOST_OBJECTS}`.execute(db)
  return rows
}

/** Objects that an archive has at most. */
export const MOST_OBJECTS = 100_000
