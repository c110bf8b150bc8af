import type { StoredFile } from '#platform/files/files.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { LfsProject } from './lfs-project.ts'
import { assertRoom } from './limits.ts'
import { lfsSizeOf } from './queries.ts'

/**
 * Gives an uploaded object to a project.
 * @param file its bytes, which the caller has proved to have
 * @throws 404 when the project is gone, 507 when its objects would take more than they may
 */
export async function keepObject(
  tx: Tx,
  { id, namespace_id }: LfsProject,
  file: StoredFile,
  settings: Settings,
): Promise<void> {
  await lockParent(tx, namespace_id)
  const { numInsertedOrUpdatedRows: inserted = 0n } = await tx.db
    .insertInto('lfs_objects')
    .values({ project_id: id, file_id: file.id, size: file.size, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (inserted > 0n && settings.max_lfs_project_size > 0) assertRoom(settings, await lfsSizeOf(tx.db, id))
}
