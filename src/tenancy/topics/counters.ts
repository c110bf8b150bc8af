import { type RawBuilder, sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Topics store how many projects they have, by visibility, so that a list of topics reads no projects: among 100,000
 * assignments, counting takes fifty times as long. Every change of what a project counts as must go through here.
 *
 * All transactions take locks in one order: namespaces, then topics by their ids.
 */

/**
 * Runs a change of the visibility or presence of a node and everything below it, and keeps the counters of the topics
 * right. The caller has locked the node.
 */
export async function recountTopicsBelow(tx: Tx, nodeId: number, change: () => Promise<void>): Promise<void> {
  const counted = await lockTopicsBelow(tx, nodeId)
  if (counted) await tally(tx, nodeId, -1)
  await change()
  if (counted) await tally(tx, nodeId, 1)
}

/** @returns whether any exist. */
async function lockTopicsBelow(tx: Tx, nodeId: number): Promise<boolean> {
  const below = sql`select pt.topic_id from namespaces n
    join projects p on p.project_namespace_id = n.id
    join project_topics pt on pt.project_id = p.id
    where ${inSubtree('n', nodeId)}`
  const { rows } = await sql<{ id: number }>`
    select id from topics where id in (${below}) order by id for no key update`.execute(tx.db)
  await assertLocked(tx, below, rows)
  return rows.length > 0
}

/**
 * Checks that no merge has given projects another topic while this transaction waited for the locks.
 * @param topics a query for the ids of the topics that should be locked.
 * @throws {InTheWay}
 */
export async function assertLocked(
  tx: Tx,
  topics: RawBuilder<unknown>,
  locked: readonly { readonly id: number }[],
): Promise<void> {
  const ids = locked.map(({ id }) => id)
  const { rows } = await sql`
    select 1 from (${topics}) as t (id) where t.id <> all(${ids}::bigint[]) limit 1`.execute(tx.db)
  if (rows.length > 0) throw new InTheWay('topics were merged')
}

/** Adds or subtracts the projects at or below a node in the counters of their topics. */
async function tally(tx: Tx, nodeId: number, by: 1 | -1): Promise<void> {
  await sql`
    update topics t set
      public_projects = t.public_projects + ${by}::integer * c.public,
      internal_projects = t.internal_projects + ${by}::integer * c.internal,
      private_projects = t.private_projects + ${by}::integer * c.private
    from (${countsWhere(inSubtree('n', nodeId))}) as c where c.topic_id = t.id`.execute(tx.db)
}

/** Recounts the projects of a topic. Call it only while no other transaction can change topics. */
export async function recountTopic(tx: Tx, topicId: number): Promise<void> {
  await sql`
    update topics t set public_projects = coalesce(c.public, 0),
      internal_projects = coalesce(c.internal, 0), private_projects = coalesce(c.private, 0)
    from (select) as one left join (${countsWhere(sql<boolean>`pt.topic_id = ${topicId}`)}) as c on true
    where t.id = ${topicId}`.execute(tx.db)
}

function countsWhere(condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    select pt.topic_id,
      count(*) filter (where n.visibility = 'public') as public,
      count(*) filter (where n.visibility = 'internal') as internal,
      count(*) filter (where n.visibility = 'private') as private
    from project_topics pt
      join projects p on p.id = pt.project_id
      join namespaces n on n.id = p.project_namespace_id
    where ${condition} and n.deleted_at is null group by pt.topic_id`
}
