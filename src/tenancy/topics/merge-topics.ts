import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import { recountTopic } from './counters.ts'
import { lockTopic } from './lock-topic.ts'

/**
 * Gives the projects of one topic to another and deletes the first.
 * @throws 404 when either is gone, 400 when they are the same or in different organizations.
 */
export async function mergeTopics(
  tx: Tx,
  { source, target }: { readonly source: number; readonly target: number },
): Promise<void> {
  // The lock keeps others from assigning, removing or counting these two meanwhile, so that each project moves once.
  await sql`select 1 from topics where id = any(${[source, target]}::bigint[]) order by id for update`.execute(
    tx.db,
  )
  const from = await lockTopic(tx, source)
  const to = await lockTopic(tx, target)
  if (source === target) throw mergeRefusal('are identical')
  if (from.organization_id !== to.organization_id) throw mergeRefusal('must belong to the same organization')
  // The same lock as the foreign key takes, but earlier: the statement waits for a project that a job is removing and
  // then leaves it out.
  await sql`
    insert into project_topics (project_id, topic_id)
    select p.id, ${target} from project_topics pt join projects p on p.id = pt.project_id
    where pt.topic_id = ${source} for key share of p
    on conflict do nothing`.execute(tx.db)
  await tx.db.deleteFrom('topics').where('id', '=', source).execute()
  await recountTopic(tx, target)
  await tx.db
    .updateTable('topics')
    .set({ curated: true, updated_at: tx.now })
    .where('id', '=', target)
    .execute()
  record(tx, {
    name: 'topics merged',
    namespace: null,
    target: { type: 'Topic', id: target },
    details: { topic: to.name, merged: from.name },
  })
}

/** The wording that clients know. */
const mergeRefusal = (because: string) => refusal(`The source topic and the target topic ${because}.`)
