import { type RawBuilder, sql } from 'kysely'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import { readableBy } from '#platform/access/visible.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'

/** The label of the same name that a container can use: its own or the nearest above, or null. */
export function labelAt(
  { traversal_ids }: ProjectContainer,
  labelId: RawBuilder<unknown>,
): RawBuilder<number | null> {
  const ids = sql`${traversal_ids}::bigint[]`
  return sql`(
    select own.id from labels was join labels own on own.name = was.name and own.namespace_id = any(${ids})
      where was.id = ${labelId} order by array_position(${ids}, own.namespace_id) desc limit 1)`
}

/** The milestone of the same title that a container can use. */
export function milestoneAt(
  { traversal_ids }: ProjectContainer,
  milestoneId: RawBuilder<unknown>,
): RawBuilder<number | null> {
  const ids = sql`${traversal_ids}::bigint[]`
  return sql`(
    select own.id from milestones was join milestones own on own.title = was.title and own.namespace_id = any(${ids})
      where was.id = ${milestoneId} order by array_position(${ids}, own.namespace_id) desc limit 1)`
}

/**
 * Keeps the labels and milestone that an issue would have in a container from being deleted or renamed. Call it before
 * locking the issue itself.
 */
export async function lockCarried(
  tx: Tx,
  there: ProjectContainer,
  projectId: number,
  iid: number,
): Promise<void> {
  const { rows } = await sql<{ milestones: number[]; labels: number[] }>`
    select array(select own from (select ${milestoneAt(there, sql`i.milestone_id`)}) as m (own) where own is not null)
        as milestones,
      array(select own from (select ${labelAt(there, sql`c.label_id`)} from issue_labels c where c.issue_id = i.id) as l (own)
        where own is not null) as labels
    from issues i where i.project_id = ${projectId} and i.iid = ${iid}`.execute(tx.db)
  for (const { milestones, labels } of rows) await lockReferencedRows(tx, { milestones, labels })
}

/** Which of some users may read a container, as an array that a statement computes once. */
export function readersAt(
  tx: Tx,
  { namespace_id }: ProjectContainer,
  users: RawBuilder<unknown>,
): RawBuilder<number[]> {
  return sql`array(
    select ru.id from users ru join namespaces rn on rn.id = ${namespace_id}
      where ru.id in (${users}) and ru.deleted_at is null and ${readableBy('rn', 'ru', dayOf(tx.now))})`
}
