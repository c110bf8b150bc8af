import { sql } from 'kysely'
import type { KeptCommit } from '#code/jobs/entity.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { type BuildContext, type HookPayload, payloadKind, type StoredFact } from './kind.ts'
import { type RunnerInPayload, runnerOfJob } from './runners.ts'
import { findProject, findUser, secondsBetween, utc, utcOrNull } from './shapes.ts'

type JobFact = StoredFact<'job status changed'>

/** Jobs: every status that they have. */
export const jobPayloads = payloadKind({
  facts: ['job status changed'],
  interestedHooks: () => ({ triggers: ['job_events'], system: 'none' }),
  build: async (facts, context) => {
    const last = facts.at(-1)
    return last === undefined ? [] : jobPayload(last, context)
  },
})

interface JobRow {
  readonly id: number
  readonly project_id: number
  readonly pipeline_id: number
  readonly pipeline_status: CiStatus
  readonly pipeline_name: string | null
  readonly pipeline_started_at: string | null
  readonly pipeline_finished_at: string | null
  readonly ref: string
  readonly tag: boolean
  readonly sha: string
  readonly before_sha: string
  readonly commit: KeptCommit | null
  readonly name: string
  readonly stage: string
  readonly created_at: string
  readonly queued_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly allow_failure: boolean
  readonly user_id: number | null
  readonly environment: string | null
  readonly runner: RunnerInPayload | null
  readonly retries: number
}

async function jobPayload(fact: JobFact, context: BuildContext): Promise<readonly HookPayload[]> {
  const { rows } = await sql<JobRow>`
    select j.id, j.project_id, j.pipeline_id, p.status as pipeline_status, p.name as pipeline_name,
        p.started_at as pipeline_started_at, p.finished_at as pipeline_finished_at, p.ref, p.tag, p.sha, p.before_sha, p.commit,
        j.name, j.stage, j.created_at, j.queued_at, j.started_at, j.finished_at, j.allow_failure, j.user_id, j.environment,
        ${runnerOfJob} as runner,
        (select count(*)::integer from ci_jobs o where o.pipeline_id = j.pipeline_id and o.name = j.name and o.id < j.id) as retries
      from ci_jobs j join pipelines p on p.id = j.pipeline_id where j.id = ${fact.target?.id ?? 0}`.execute(
    context.db,
  )
  const [row] = rows
  const project = row && (await findProject(context, row.project_id))
  if (row === undefined || project === undefined) return []
  const { to, failure_reason } = fact.details
  return [
    {
      to: 'project and group hooks',
      triggers: ['job_events'],
      name: 'Job Hook',
      data: {
        object_kind: 'build',
        ref: row.ref,
        tag: row.tag,
        before_sha: row.before_sha,
        sha: row.sha,
        retries_count: row.retries,
        build_id: row.id,
        build_name: row.name,
        build_stage: row.stage,
        build_status: to,
        build_created_at: utc(row.created_at),
        build_started_at: utcOrNull(row.started_at),
        build_finished_at: utcOrNull(row.finished_at),
        build_created_at_iso: row.created_at,
        build_started_at_iso: row.started_at,
        build_finished_at_iso: row.finished_at,
        build_duration: secondsBetween(row.started_at, row.finished_at),
        build_queued_duration: secondsBetween(row.queued_at, row.started_at),
        build_allow_failure: row.allow_failure,
        build_failure_reason: failure_reason ?? 'unknown_failure',
        pipeline_id: row.pipeline_id,
        runner: row.runner,
        project_id: row.project_id,
        project_name: `${String(project.project['namespace'])} / ${String(project.project['name'])}`,
        user: await findUser(context, row.user_id),
        commit: {
          id: row.pipeline_id,
          name: row.pipeline_name,
          sha: row.sha,
          message: row.commit?.message ?? null,
          author_name: row.commit?.author.name ?? null,
          author_email: row.commit?.author.email ?? null,
          author_url: null,
          status: row.pipeline_status,
          duration: secondsBetween(row.pipeline_started_at, row.pipeline_finished_at),
          started_at: utcOrNull(row.pipeline_started_at),
          finished_at: utcOrNull(row.pipeline_finished_at),
        },
        repository: project.repository,
        project: project.project,
        environment: row.environment === null ? null : { name: row.environment },
      },
    },
  ]
}
