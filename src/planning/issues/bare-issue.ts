import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { confidentialOpenIn } from './visible.ts'

/** An issue without the columns that only presenters need. */
interface BareIssue {
  readonly id: number
  readonly user_agent: string | null
  readonly ip: string | null
}

/**
 * Finds an issue of a project by its iid, if the caller may see it there.
 * @throws 404, plain unless named
 */
export async function findBareIssue(
  db: Db | Tx['db'],
  viewer: Viewer,
  { container, can }: AuthorizedProject,
  iid: number,
  name?: string,
): Promise<BareIssue> {
  return db
    .selectFrom('issues as i')
    .select(['i.id', 'i.user_agent', 'i.ip'])
    .where('i.project_id', '=', container.id)
    .where('i.iid', '=', iid)
    .where(confidentialOpenIn(viewer, can('read_confidential_issue')))
    .executeTakeFirstOrThrow(() => notFound(name))
}
