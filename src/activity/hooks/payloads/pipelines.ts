import { sql } from 'kysely'
import { ranFor } from '#code/pipelines/queries.ts'
import { statusWords } from '#code/pipelines/status-words.ts'
import type { KeptCommit } from '#code/jobs/entity.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { type BuildContext, type HookPayload, payloadKind, type StoredFact } from './kind.ts'
import { type RunnerInPayload, runnerOfJob } from './runners.ts'
import { findProject, findUser, secondsBetween, type HookProject, utc, utcOrNull } from './shapes.ts'

type PipelineFact = StoredFact<'pipeline created' | 'pipeline status changed'>

/** Pipelines: made, and every status that they have. */
export const pipelinePayloads = payloadKind({
  facts: ['pipeline created', 'pipeline status changed'],
  interestedHooks: () => ({ triggers: ['pipeline_events'], system: 'none' }),
  build: async (facts, context) => {
    const last = facts.at(-1)
    return last === undefined ? [] : pipelinePayload(last, context)
  },
})

interface PipelineRow {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly name: string | null
  readonly ref: string
  readonly tag: boolean
  readonly protected: boolean
  readonly sha: string
  readonly before_sha: string
  readonly source: string
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly user_id: number | null
  readonly commit: KeptCommit | null
  readonly duration: number | null
  readonly stages: readonly string[]
  readonly merge_request: object | null
  readonly warns: boolean
  readonly builds: readonly BuildRow[]
}

interface BuildRow {
  readonly id: number
  readonly stage: string
  readonly name: string
  readonly status: CiStatus
  readonly created_at: string
  readonly queued_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly failure_reason: string | null
  readonly run_when: string
  readonly allow_failure: boolean
  readonly user_id: number | null
  readonly environment: string | null
  readonly runner: RunnerInPayload | null
  readonly filename: string | null
  readonly size: number | null
}

/** Jobs that one payload tells of; receivers ask for those of larger pipelines. */
const MOST_JOBS = 1_000

async function readPipeline({ db, now }: BuildContext, id: number): Promise<PipelineRow | undefined> {
  const { rows } = await sql<PipelineRow>`
    select p.id, p.iid, p.project_id, p.name, p.ref, p.tag, p.protected, p.sha, p.before_sha, p.source, p.created_at, p.started_at,
        p.finished_at, p.user_id, p.commit, ${ranFor(now.toISOString())} as duration,
        (select coalesce(json_agg(s.stage order by s.at), '[]') from (
          select j.stage, min(j.stage_index) as at from ci_jobs j where j.pipeline_id = p.id group by j.stage) as s) as stages,
        (select json_build_object('id', m.id, 'iid', m.iid, 'title', m.title, 'source_branch', m.source_branch,
            'source_project_id', m.source_project_id, 'target_branch', m.target_branch, 'target_project_id', m.project_id,
            'state', m.state, 'merge_status', m.merge_status)
          from merge_requests m where m.id = p.merge_request_id) as merge_request,
        exists (select from ci_jobs j where j.pipeline_id = p.id and not j.retried and j.allow_failure
          and j.status in ('failed', 'canceled')) as warns,
        (select coalesce(json_agg(json_build_object('id', j.id, 'stage', j.stage, 'name', j.name, 'status', j.status,
            'created_at', j.created_at, 'queued_at', j.queued_at, 'started_at', j.started_at, 'finished_at', j.finished_at,
            'failure_reason', j.failure_reason, 'run_when', j.run_when, 'allow_failure', j.allow_failure, 'user_id', j.user_id,
            'environment', j.environment, 'runner', ${runnerOfJob}, 'filename', a.filename, 'size', a.size) order by j.id desc), '[]')
          from (select id from ci_jobs where pipeline_id = p.id and not retried order by id limit ${MOST_JOBS}) as l
          join ci_jobs j on j.id = l.id
          left join ci_job_artifacts a on a.job_id = j.id and a.file_type = 'archive') as builds
      from pipelines p where p.id = ${id}`.execute(db)
  return rows[0]
}

async function pipelinePayload(fact: PipelineFact, context: BuildContext): Promise<readonly HookPayload[]> {
  const row = await readPipeline(context, fact.target?.id ?? 0)
  const project = row && (await findProject(context, row.project_id))
  if (row === undefined || project === undefined) return []
  const status = fact.name === 'pipeline created' ? fact.details.status : fact.details.to
  const user = await findUser(context, row.user_id)
  return [
    {
      to: 'project and group hooks',
      triggers: ['pipeline_events'],
      name: 'Pipeline Hook',
      data: {
        object_kind: 'pipeline',
        object_attributes: {
          id: row.id,
          iid: row.iid,
          name: row.name,
          ref: row.ref,
          tag: row.tag,
          sha: row.sha,
          before_sha: row.before_sha,
          source: row.source,
          status,
          detailed_status: statusWords(status, row.warns).label,
          stages: row.stages,
          created_at: utc(row.created_at),
          finished_at: utcOrNull(row.finished_at),
          duration: row.duration === null ? null : Math.round(row.duration),
          queued_duration: secondsBetween(row.created_at, row.started_at),
          protected_ref: row.protected,
          // Their values may be secrets.
          variables: [],
          url: `${project.url}/-/pipelines/${row.id}`,
        },
        merge_request: mergeRequestOf(row, project),
        user,
        project: project.project,
        commit: commitOf(row, project),
        builds: row.builds.map((build) => buildOf(build, user)),
      },
    },
  ]
}

function mergeRequestOf({ merge_request }: PipelineRow, { url }: HookProject): object | null {
  if (merge_request === null) return null
  const iid = 'iid' in merge_request ? String(merge_request.iid) : ''
  return { ...merge_request, url: `${url}/-/merge_requests/${iid}` }
}

function commitOf({ commit }: PipelineRow, { url }: HookProject): object | null {
  if (commit === null) return null
  const { id, message, title, author } = commit
  return {
    id,
    message,
    title,
    timestamp: commit.committer.at.replace(/\.\d+/, ''),
    url: `${url}/-/commit/${id}`,
    author: { name: author.name, email: author.email },
  }
}

const buildOf = (build: BuildRow, user: object | null): object => ({
  id: build.id,
  stage: build.stage,
  name: build.name,
  status: build.status,
  created_at: utc(build.created_at),
  started_at: utcOrNull(build.started_at),
  finished_at: utcOrNull(build.finished_at),
  duration: secondsBetween(build.started_at, build.finished_at),
  queued_duration: secondsBetween(build.queued_at, build.started_at),
  failure_reason: build.failure_reason,
  when: build.run_when,
  manual: build.run_when === 'manual',
  allow_failure: build.allow_failure,
  user,
  runner: build.runner,
  artifacts_file: { filename: build.filename, size: build.size },
  environment: build.environment === null ? null : { name: build.environment },
})
