import type { Tx } from '#platform/db/transaction.ts'

/** The child pipelines of a pipeline, the oldest first. */
export async function childrenOf(tx: Tx, id: number): Promise<number[]> {
  const rows = await tx.db
    .selectFrom('pipelines as c')
    .innerJoin('ci_jobs as j', 'j.id', 'c.upstream_job_id')
    .select('c.id')
    .where('j.pipeline_id', '=', id)
    .where('c.is_child', '=', true)
    .orderBy('c.id')
    .execute()
  return rows.map((row) => row.id)
}
