import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'

/**
 * Finds the id of a merge request of a project by its iid. The route has made sure that the caller may read them there.
 * @throws 404
 */
export async function findBareMergeRequest(
  db: Db | Tx['db'],
  _: Viewer,
  { container }: Pick<AuthorizedProject, 'container'>,
  iid: number,
): Promise<{ readonly id: number }> {
  return db
    .selectFrom('merge_requests as mr')
    .select('mr.id')
    .where('mr.project_id', '=', container.id)
    .where('mr.iid', '=', iid)
    .executeTakeFirstOrThrow(() => notFound())
}
