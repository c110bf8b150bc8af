import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'

const wanted = [
  'v.id',
  'v.merge_request_id',
  'v.head_sha',
  'v.base_sha',
  'v.start_sha',
  'v.changed_files',
  'v.created_at',
  'v.patch_id',
] as const

export const versionOrder: ListOrder = {
  of: 'MergeRequestVersion',
  id: 'v.id',
  columns: { id: { column: 'v.id' } },
  by: 'id',
  sort: 'desc',
}

/** The states of the source branch that a merge request had. */
export const versionsOf = (db: Db, mergeRequestId: number) =>
  db.selectFrom('merge_request_versions as v').select(wanted).where('v.merge_request_id', '=', mergeRequestId)

export type VersionRow = Awaited<ReturnType<ReturnType<typeof versionsOf>['executeTakeFirstOrThrow']>>

/** @throws 404 */
export async function findVersion(db: Db, mergeRequestId: number, id: number): Promise<VersionRow> {
  return versionsOf(db, mergeRequestId)
    .where('v.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Version'))
}
