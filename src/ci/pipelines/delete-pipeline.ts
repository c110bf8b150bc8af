import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { aboutFact, aboutPipeline } from './about-pipeline.ts'
import { childrenOf } from './children.ts'

/** Deletes a pipeline with its jobs, logs and artifacts, and its children. @throws 404 when it is gone */
export async function deletePipeline(tx: Tx, id: number): Promise<void> {
  const row = await tx.db
    .selectFrom('pipelines')
    .select(['id', 'project_id', 'iid', 'ref', 'sha', 'source', 'merge_request_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound())
  const about = await aboutPipeline(tx, row)
  for (const child of await childrenOf(tx, id)) await deletePipeline(tx, child)
  await sql`delete from commit_statuses where pipeline_id = ${id}`.execute(tx.db)
  await tx.db.deleteFrom('pipelines').where('id', '=', id).execute()
  record(tx, { name: 'pipeline deleted', ...aboutFact(about), details: about.details })
}
