import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { removeSubtree } from '#identity/namespaces/remove-subtree.ts'
import type { IssueRow } from './queries.ts'

/** Cleaning up after many small deletions waits until groups and projects are deleted. */
const AFTER_OTHERS = 10

/**
 * Deletes an issue. From now on nobody sees it, and a job removes it with everything that belongs to it, which may be a
 * lot. Its number is not used again.
 */
export async function deleteIssue(
  tx: Tx,
  { id, namespace_id, iid, title }: Pick<IssueRow, 'id' | 'namespace_id' | 'iid' | 'title'>,
): Promise<void> {
  const hidden = await moveOutOfSight(tx, id)
  await enqueue(tx, removeSubtree, { namespace_id: hidden }, { priority: AFTER_OTHERS })
  record(tx, {
    name: 'issue deleted',
    namespace: namespace_id,
    target: { type: 'Issue', id },
    details: { iid, title },
  })
}

/**
 * Moves an issue into a deleted project of its own. Nobody finds anything in such a project, so that no query needs to
 * know of deleted issues.
 * @returns the id of the project's namespace.
 */
async function moveOutOfSight(tx: Tx, issueId: number): Promise<number> {
  const path = `-/deleted/issues/${issueId}`
  const { rows } = await sql<{ id: number }>`
    with next as materialized (
      select nextval(pg_get_serial_sequence('namespaces', 'id')) as id
    ), node as (
      insert into namespaces (id, kind, traversal_ids, path, full_path, name, full_name, visibility,
        created_at, updated_at, deleted_at)
      select id, 'project', array[id], ${path}, ${path}, ${path}, ${path}, 'private',
        ${tx.now}::timestamptz, ${tx.now}::timestamptz, ${tx.now}::timestamptz from next
      returning id
    ), project as (
      insert into projects (project_namespace_id, last_activity_at) select id, ${tx.now}::timestamptz from node
      returning id, project_namespace_id
    ), noteable as (
      update noteables set namespace_id = (select id from node) where id = ${issueId}
    )
    update issues i set project_id = project.id from project where i.id = ${issueId}
    returning project.project_namespace_id as id`.execute(tx.db)
  const [hidden] = rows
  if (hidden === undefined) throw new Error('A locked issue is there')
  return hidden.id
}
