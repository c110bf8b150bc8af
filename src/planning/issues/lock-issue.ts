import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import {
  shapeOfViewer,
  valuesOfViewer,
  type Viewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { locking } from '#planning/noteables/lock.ts'
import { findIssue, type SingleIssueRow } from './queries.ts'
import { confidentialOpenIn } from './visible.ts'

/**
 * Finds an issue of a project by its iid and locks it: others who want to change it wait until this transaction ends.
 * @throws 404
 */
export async function lockIssue(
  tx: Tx,
  viewer: Viewer,
  authorized: AuthorizedProject,
  iid: number,
  purpose: keyof typeof locks = 'change',
): Promise<SingleIssueRow> {
  await lockRows(tx, authorized, iid, purpose)
  return findIssue(tx.db, viewer, authorized, iid)
}

/** Locks an issue before it is read, so that the read sees what the previous transaction wrote. */
async function lockRows(
  tx: Tx,
  { container }: AuthorizedProject,
  iid: number,
  purpose: keyof typeof locks,
): Promise<void> {
  const key = { project: container.id, iid }
  await locks[purpose].noteable(tx.db, key)
  await locks[purpose].issue(tx.db, key)
}

/** What a change needs to know of an issue. */
export type LockedIssue = Pick<
  SingleIssueRow,
  | 'id'
  | 'iid'
  | 'namespace_id'
  | 'full_path'
  | 'title'
  | 'description'
  | 'state'
  | 'issue_type'
  | 'author_id'
  | 'milestone_id'
  | 'due_date'
  | 'confidential'
  | 'discussion_locked'
  | 'weight'
  | 'updated_at'
> & {
  readonly assignees: readonly Pick<SingleIssueRow['assignees'][number], 'id' | 'username'>[]
  readonly labels: readonly Pick<SingleIssueRow['labels'][number], 'id'>[]
}

/** The same, with only what a change needs to know. */
export async function lockIssueForChange(
  tx: Tx,
  viewer: Viewer,
  authorized: AuthorizedProject,
  iid: number,
): Promise<LockedIssue> {
  await lockRows(tx, authorized, iid, 'change')
  const values = { ...valuesOfViewer(viewer), project: authorized.container.id, iid }
  const readsAll = authorized.can('read_confidential_issue')
  const [issue] = await lockedIssue(tx.db, values, { ...shapeOfViewer(viewer), readsAll })
  return orNotFound(issue)
}

const lockedIssue = statement({
  name: 'locked issue',
  build: (
    db,
    param: Params<ViewerValues & Key>,
    { readsAll, ...shape }: ViewerShape & { readonly readsAll: boolean },
  ) =>
    db
      .selectFrom('issues as i')
      .innerJoin('noteables as nt', 'nt.id', 'i.id')
      .innerJoin('namespaces as n', 'n.id', 'nt.namespace_id')
      .select([
        'i.id',
        'i.iid',
        'nt.namespace_id',
        'n.full_path',
        'i.title',
        'i.description',
        'i.state',
        'i.issue_type',
        'i.author_id',
        'i.milestone_id',
        'i.due_date',
        'i.confidential',
        'i.discussion_locked',
        'i.weight',
        'nt.updated_at',
        sql<LockedIssue['assignees']>`coalesce((
          select json_agg(json_build_object('id', u.id, 'username', u.username) order by u.id)
            from issue_assignees a join users u on u.id = a.user_id where a.issue_id = i.id), '[]')`.as(
          'assignees',
        ),
        sql<LockedIssue['labels']>`coalesce((
          select json_agg(json_build_object('id', c.label_id)) from issue_labels c where c.issue_id = i.id), '[]')`.as(
          'labels',
        ),
      ])
      .where('i.project_id', '=', param('project'))
      .where(confidentialOpenIn(viewerIn(shape, param), readsAll))
      .where('i.iid', '=', param('iid')),
})

interface Key {
  readonly project: number
  readonly iid: number
}

const idOf = (param: Params<Key>) => sql<number>`(
  select i.id from issues i where i.project_id = ${param('project')} and i.iid = ${param('iid')})`

/** Also the issue's own row, because votes, and the job that removes projects, lock nothing else. */
const lockingOwn = (strength: string) =>
  statement({
    name: `lock issue ${strength}`,
    build: (_, param: Params<Key>) =>
      sql`select 1 from issues where id = ${idOf(param)} ${sql.raw(strength)}`,
    deferred: true,
  })

const locks = {
  change: { noteable: locking('change', idOf), issue: lockingOwn('for no key update') },
  deletion: { noteable: locking('deletion', idOf), issue: lockingOwn('for update') },
}
