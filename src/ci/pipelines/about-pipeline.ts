import type { Tx } from '#platform/db/transaction.ts'
import type { AboutPipeline } from './facts.ts'

/** What facts say of a pipeline, and where it is. */
export interface PipelineInFacts {
  readonly id: number
  readonly namespace: number
  readonly details: AboutPipeline
}

interface Row extends AboutPipeline {
  readonly id: number
  readonly project_id: number
}

export async function aboutPipeline(tx: Tx, row: Row): Promise<PipelineInFacts> {
  const { project_namespace_id } = await tx.db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', '=', row.project_id)
    .executeTakeFirstOrThrow()
  return pipelineInFacts(row, project_namespace_id)
}

export const pipelineInFacts = (
  { id, iid, ref, sha, source, merge_request_id }: Omit<Row, 'project_id'>,
  namespace: number,
): PipelineInFacts => ({ id, namespace, details: { iid, ref, sha, source, merge_request_id } })

/** What facts about a pipeline share. */
export const aboutFact = ({ id, namespace }: PipelineInFacts) => ({
  namespace,
  target: { type: 'Pipeline', id },
})
