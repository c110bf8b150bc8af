import { sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { assertLocked } from './counters.ts'
import { readTopicNames } from './names.ts'

/**
 * Sets the topics of a project. Missing topics are created, with the name as the title.
 * @param project made or locked in this transaction.
 * @throws 400 for impossible names
 */
export async function assignTopics(
  tx: Tx,
  project: { readonly id: number; readonly namespace_id: number },
  given: readonly string[],
): Promise<void> {
  const names = readTopicNames(given)
  const topics = await lockTopics(tx, project, names)
  const added = topics.filter(({ assigned, wanted }) => !assigned && wanted.length > 0)
  const removed = topics.filter(({ assigned, wanted }) => assigned && wanted.length === 0)
  const ids = (some: readonly Candidate[]) => some.map(({ id }) => id)
  await move(tx, project, { added: ids(added), removed: ids(removed) })
}

/** A topic that the project has or that one of the given names means. */
interface Candidate {
  readonly id: number
  readonly assigned: boolean
  /** The given names that mean this topic. PostgreSQL decides which letters differ only in case. */
  readonly wanted: readonly string[]
}

/** How often to try again when another transaction deletes a topic in between. */
const TRIES = 3

/** Locks the topics that a project has and those of these names, creating those that are missing. */
async function lockTopics(
  tx: Tx,
  { id, namespace_id }: { readonly id: number; readonly namespace_id: number },
  names: readonly string[],
): Promise<readonly Candidate[]> {
  const organization = sql`(select organization_id from namespaces where id = ${namespace_id})`
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { rows } = await sql<Candidate>`
      select t.id,
        exists (select 1 from project_topics pt where pt.topic_id = t.id and pt.project_id = ${id}) as assigned,
        array(select name from unnest(${[...names]}::text[]) as name where lower(name) = lower(t.name)) as wanted
      from topics t
      where t.id = any(array(
        select topic_id from project_topics where project_id = ${id}
        union
        select o.id from topics o where o.organization_id = ${organization} and lower(o.name) = any(array(
          select lower(name) from unnest(${[...names]}::text[]) as name))))
      order by t.id for no key update of t`.execute(tx.db)
    const found = new Set(rows.flatMap(({ wanted }) => wanted))
    const missing = names.filter((name) => !found.has(name))
    if (missing.length === 0) {
      await assertLocked(tx, sql`select topic_id from project_topics where project_id = ${id}`, rows)
      return rows
    }
    // A fixed order, so that two transactions that insert the same names do not deadlock.
    await sql`
      insert into topics (organization_id, name, title, curated, created_at, updated_at)
      select ${organization}, name, name, false, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from unnest(${missing}::text[]) as name order by lower(name)
      on conflict do nothing`.execute(tx.db)
  }
  throw new InTheWay('topics came and went')
}

/** Changes a project's topics and their counters in one statement. */
async function move(
  tx: Tx,
  { id, namespace_id }: { readonly id: number; readonly namespace_id: number },
  { added, removed }: { readonly added: number[]; readonly removed: number[] },
): Promise<void> {
  if (added.length + removed.length === 0) return
  const change = sql`case when t.id = any(${added}::bigint[]) then 1 else -1 end`
  await sql`
    with gone as (
      delete from project_topics where project_id = ${id} and topic_id = any(${removed}::bigint[])
    ), made as (
      insert into project_topics (project_id, topic_id) select ${id}, unnest(${added}::bigint[])
    )
    update topics t set
      public_projects = t.public_projects + case n.visibility when 'public' then ${change} else 0 end,
      internal_projects = t.internal_projects + case n.visibility when 'internal' then ${change} else 0 end,
      private_projects = t.private_projects + case n.visibility when 'private' then ${change} else 0 end
    from namespaces n
    where n.id = ${namespace_id} and t.id = any(${[...added, ...removed]}::bigint[])`.execute(tx.db)
}
