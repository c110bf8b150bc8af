import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { KindIdentity } from './identity.ts'
import { removeSubtree } from '#identity/namespaces/remove-subtree.ts'

/** Cleaning up after many small deletions waits until groups and projects are deleted. */
const AFTER_OTHERS = 10

/**
 * Takes a noteable out of sight, and leaves its removal, with everything that hangs on it, to a job. It moves into a deleted
 * project or group of its own, in which nobody finds anything, so that no query needs to know of deleted ones.
 * @param kind its table has `project_id` or, where the container is a group, `group_id`.
 */
export async function removeLater(
  tx: Tx,
  { table, container }: Pick<KindIdentity, 'table' | 'container'>,
  id: number,
): Promise<void> {
  const { kind } = container
  const path = `-/deleted/${table}/${id}`
  const { rows } = await sql<{ id: number }>`
    with next as materialized (
      select nextval(pg_get_serial_sequence('namespaces', 'id')) as id
    ), node as (
      insert into namespaces (id, kind, traversal_ids, path, full_path, name, full_name, visibility,
        created_at, updated_at, deleted_at)
      select id, ${kind}, array[id], ${path}, ${path}, ${path}, ${path}, 'private',
        ${tx.now}::timestamptz, ${tx.now}::timestamptz, ${tx.now}::timestamptz from next
      returning id
    ), noteable as (
      update noteables set namespace_id = (select id from node) where id = ${id}
    ) ${kind === 'group' ? intoGroup(table, id) : intoProject(tx, table, id)}`.execute(tx.db)
  await enqueue(tx, removeSubtree, { namespace_id: onlyOne(rows).id }, { priority: AFTER_OTHERS })
}

const intoGroup = (table: string, id: number) => sql`
  update ${sql.table(table)} x set group_id = node.id from node where x.id = ${id} returning node.id as id`

const intoProject = ({ now }: Tx, table: string, id: number) => sql`
  , project as (
    insert into projects (project_namespace_id, last_activity_at) select id, ${now}::timestamptz from node
    returning id, project_namespace_id
  )
  update ${sql.table(table)} x set project_id = project.id from project where x.id = ${id}
  returning project.project_namespace_id as id`
