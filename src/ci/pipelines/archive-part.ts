import { sql } from 'kysely'
import { Type } from 'typebox'
import { archivedMoment, definePart } from '#code/archives/part.ts'
import { statuses } from '#code/pipelines/entity.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { flag, integer, MAX_INT4, nullable, oneOf, text } from '#platform/http/schema.ts'
import { greatest } from '#platform/sequences.ts'

/** Jobs of one pipeline. */
const MOST_JOBS = 1_000

const sha = Type.String({ pattern: '^[0-9a-f]{40,64}$' })
const ended = Type.Union([Type.Null(), archivedMoment()])
const status = oneOf<CiStatus>(statuses)

/** The form of a moment in archives. */
const moment = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** What has run for the branches and tags of a project, without logs, artifacts and what jobs do. What has not ended counts as canceled. */
export const archivedPipelines = definePart({
  name: 'pipelines',
  most: 100_000,
  row: Type.Object({
    iid: integer({ minimum: 1, maximum: MAX_INT4 - 1 }),
    source: Type.String({ pattern: '^[a-z_]{1,50}$' }),
    status,
    ref: text({ max: 1_024, filled: true }),
    tag: flag(),
    sha,
    before_sha: sha,
    name: nullable(text()),
    created_at: archivedMoment(),
    started_at: ended,
    finished_at: ended,
    jobs: Type.Array(
      Type.Object({
        name: text({ filled: true }),
        stage: text({ filled: true }),
        stage_index: integer({ minimum: 0, maximum: MAX_INT4 }),
        status,
        allow_failure: flag(),
        created_at: archivedMoment(),
        started_at: ended,
        finished_at: ended,
      }),
      { maxItems: MOST_JOBS },
    ),
  }),
  async readAfter(db, { id }, last) {
    const { rows } = await sql<ArchivedPipeline>`
      select p.id, p.iid, p.source, p.status, p.ref, p.tag, p.sha, p.before_sha, p.name, ${moment('p.created_at')} as created_at,
        ${moment('p.started_at')} as started_at, ${moment('p.finished_at')} as finished_at,
        (select coalesce(json_agg(json_build_object('name', j.name, 'stage', j.stage, 'stage_index', j.stage_index,
            'status', j.status, 'allow_failure', j.allow_failure, 'created_at', ${moment('j.created_at')},
            'started_at', ${moment('j.started_at')}, 'finished_at', ${moment('j.finished_at')}) order by j.id), '[]')
          from ci_jobs j where j.pipeline_id = p.id and not j.retried and not j.bridge) as jobs
      from pipelines p
      where p.project_id = ${id} and p.id > ${last?.id ?? 0} and not p.is_child and p.merge_request_id is null and p.source <> 'external'
      order by p.id limit 20`.execute(db)
    return rows
  },
  async write(tx, { id, namespace_id }, rows) {
    await nextIid(
      tx,
      namespace_id,
      'pipeline',
      greatest(
        0,
        rows.map(({ iid }) => iid),
      ),
    )
    const values = rows.map((row) => ({
      ...asEnded(row, tx.now),
      jobs: row.jobs.map((job) => asEnded(job, tx.now)),
    }))
    await sql`
      with given as (
        select x.iid, x.source, x.status, x.ref, x.tag, x.sha, x.before_sha, x.name, x.created_at, x.started_at, x.finished_at, x.jobs
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as x (iid integer, source text, status ci_status, ref text, tag boolean,
          sha text, before_sha text, name text, created_at timestamptz, started_at timestamptz, finished_at timestamptz, jobs jsonb)
      ), pipeline as (
        insert into pipelines (project_id, iid, source, status, ref, tag, protected, sha, before_sha, name, created_at, updated_at,
          started_at, finished_at)
        select ${id}, x.iid, x.source, x.status, x.ref, x.tag, false, x.sha, x.before_sha, x.name, x.created_at,
          ${tx.now}::timestamptz, x.started_at, x.finished_at
        from given x order by x.iid returning id, iid
      ), job as (
        select p.id as pipeline_id, nextval(pg_get_serial_sequence('ci_job_definitions', 'id')) as definition_id, j.name, j.stage,
          j.stage_index, j.status, j.allow_failure, j.created_at, j.started_at, j.finished_at
        from pipeline p join given x on x.iid = p.iid cross join jsonb_to_recordset(x.jobs) as j (name text, stage text,
          stage_index integer, status ci_status, allow_failure boolean, created_at timestamptz, started_at timestamptz,
          finished_at timestamptz)
      ), definition as (
        insert into ci_job_definitions (id, pipeline_id, definition)
        select definition_id, pipeline_id, '{"variables": [], "options": {}, "allowFailure": false}' from job
      )
      insert into ci_jobs (project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, status, run_when, allow_failure,
        interruptible, timeout, created_at, updated_at, started_at, finished_at)
      select ${id}, pipeline_id, definition_id, false, name, stage, stage_index, status, 'on_success', allow_failure, false, 3600,
        created_at, ${tx.now}::timestamptz, started_at, finished_at
      from job`.execute(tx.db)
  },
})

interface ArchivedJob {
  readonly name: string
  readonly stage: string
  readonly stage_index: number
  readonly status: CiStatus
  readonly allow_failure: boolean
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
}

interface ArchivedPipeline {
  readonly id: number
  readonly iid: number
  readonly source: string
  readonly status: CiStatus
  readonly ref: string
  readonly tag: boolean
  readonly sha: string
  readonly before_sha: string
  readonly name: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly jobs: ArchivedJob[]
}

const complete: ReadonlySet<CiStatus> = new Set<CiStatus>(['success', 'failed', 'canceled', 'skipped'])

/** Nothing goes on in another project. */
const asEnded = <Row extends { readonly status: CiStatus; readonly finished_at: string | null }>(
  row: Row,
  now: string,
): Row => (complete.has(row.status) ? row : { ...row, status: 'canceled', finished_at: now })
