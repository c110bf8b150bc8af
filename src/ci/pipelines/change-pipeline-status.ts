import { sql } from 'kysely'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { checkNow } from '#code/merge-requests/merge/check-mergeability.ts'
import type { EngineJob } from '../jobs/rows.ts'
import { ended } from '../jobs/statuses.ts'
import { followUpstreamLater } from './later.ts'
import { aboutFact, type PipelineInFacts } from './about-pipeline.ts'
import { onlyOne } from '#platform/sequences.ts'
import { Statuses } from './together.ts'

interface Changing {
  readonly id: number
  readonly project_id: number
  readonly is_child: boolean
  readonly user_id: number | null
  readonly status: CiStatus
  readonly upstream_job_id: number | null
  readonly started_at: string | null
}

/** Gives a locked pipeline the status of its jobs together with what external checks say. */
export async function changePipelineStatus(
  tx: Tx,
  pipeline: Changing,
  about: PipelineInFacts,
  jobs: readonly EngineJob[],
): Promise<void> {
  const { id, status: from, upstream_job_id, started_at } = pipeline
  const statuses = new Statuses()
  for (const job of jobs) statuses.add(job)
  const external = await tx.db
    .selectFrom('commit_statuses')
    .select(sql<CiStatus>`state::text`.as('status'))
    .distinct()
    .where('pipeline_id', '=', id)
    .where('retried', '=', false)
    .execute()
  for (const { status } of external) statuses.add({ status, allow_failure: false })
  const to = statuses.together()
  if (to === undefined) return
  const covered = jobs.flatMap(({ coverage }) => (coverage === null ? [] : [coverage]))
  const coverage = covered.length === 0 ? null : covered.reduce((a, b) => a + b, 0) / covered.length
  await tx.db
    .updateTable('pipelines')
    .set({
      status: to,
      coverage,
      updated_at: tx.now,
      finished_at: !ended.has(to) ? null : ended.has(from) ? sql`finished_at` : tx.now,
      ...(to === 'running' && started_at === null && { started_at: tx.now }),
    })
    .where('id', '=', id)
    .execute()
  if (to === from) return
  if (ended.has(to)) await mergeLater(tx, id)
  if (upstream_job_id !== null) await enqueue(tx, followUpstreamLater, { pipeline_id: id })
  if ((to === 'success' || to === 'failed') && !pipeline.is_child && pipeline.user_id !== null)
    await recordEnd(tx, pipeline, about, { status: to, user_id: pipeline.user_id })
  record(tx, {
    name: 'pipeline status changed',
    ...aboutFact(about),
    details: { ...about.details, from, to },
  })
}

/** Records that a pipeline has ended, for those who want mails of it. */
async function recordEnd(
  tx: Tx,
  { id, project_id }: Changing,
  about: PipelineInFacts,
  end: { readonly status: 'success' | 'failed'; readonly user_id: number },
): Promise<void> {
  const { ref, sha, merge_request_id } = about.details
  const { rows } = await sql<{ failed: boolean | null; merge_request_id: number | null }>`
    select (select p.status = 'failed' from pipelines p
        where p.project_id = ${project_id} and p.ref = ${ref} and p.id < ${id} and p.status in ('success', 'failed') and not p.is_child
        order by p.id desc limit 1) as failed,
      coalesce(${merge_request_id}::bigint, (select mr.id from merge_requests mr
        where mr.source_project_id = ${project_id} and mr.source_branch = ${ref} and mr.head_sha = ${sha} and mr.state = 'opened'
        order by mr.id limit 1)) as merge_request_id`.execute(tx.db)
  const found = onlyOne(rows)
  record(tx, {
    name: 'pipeline finished',
    ...aboutFact(about),
    details: {
      ...end,
      fixed: end.status === 'success' && found.failed === true,
      ref,
      sha,
      merge_request_id: found.merge_request_id,
    },
  })
}

/** Merge requests that one pipeline may let be merged. */
const MOST = 100

/** Has automatic merges tried that waited for a pipeline. */
async function mergeLater(tx: Tx, id: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select mr.id from pipelines p join merge_requests mr on mr.source_project_id = p.project_id and mr.head_sha = p.sha
      where p.id = ${id} and mr.state = 'opened' and mr.auto_merge is not null
        and (p.merge_request_id = mr.id or (p.merge_request_id is null and not p.tag and p.ref = mr.source_branch))
      order by mr.id limit ${MOST}`.execute(tx.db)
  if (rows.length > 0) await checkNow(tx, rows)
}
