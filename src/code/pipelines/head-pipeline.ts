import { type RawBuilder, sql } from 'kysely'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { PipelineRow } from './entity.ts'
import { findPipeline } from './queries.ts'

/** What of a merge request says which pipelines are about it. */
export interface PipelinedMergeRequest {
  readonly id: number
  readonly source_project_id: number | null
  readonly source_branch: string
  readonly head_sha: string
}

/**
 * A column of the newest pipeline of the tip of the source branch, where a merge request is `mr`: its own pipeline, or that of its
 * branch.
 */
export const ofHeadPipeline = <Value>(
  column: 'id' | 'status',
): RawBuilder<Value | null> => sql<Value | null>`(
  select h.${sql.ref(column)} from pipelines h
  where h.project_id = mr.source_project_id and h.sha = mr.head_sha and not h.is_child
    and (h.merge_request_id = mr.id or (h.merge_request_id is null and not h.tag and h.ref = mr.source_branch))
  order by h.id desc limit 1)`

async function find<Value>(db: Db | Tx['db'], id: number, column: 'id' | 'status'): Promise<Value | null> {
  const { rows } = await sql<{ value: Value | null }>`
    select ${ofHeadPipeline<Value>(column)} as value from merge_requests mr where mr.id = ${id}`.execute(db)
  return rows[0]?.value ?? null
}

/** The newest pipeline of the tip of a merge request; null for none. */
export async function headPipelineOf(
  db: Db | Tx['db'],
  { id, source_project_id }: PipelinedMergeRequest,
  now: string,
): Promise<PipelineRow | null> {
  const pipeline = await find<number>(db, id, 'id')
  return pipeline === null || source_project_id === null
    ? null
    : findPipeline(db, source_project_id, pipeline, now)
}

const passed: ReadonlySet<CiStatus> = new Set<CiStatus>(['success', 'skipped'])

/** Whether an automatic merge waits for a pipeline of the merge request. */
export async function awaitsPipeline(db: Db | Tx['db'], id: number): Promise<boolean> {
  const status = await find<CiStatus>(db, id, 'status')
  return status !== null && !passed.has(status)
}
