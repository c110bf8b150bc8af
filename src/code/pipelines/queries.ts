import { sql } from 'kysely'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { basicColumns, type PipelineRow } from './entity.ts'

/** The pipelines of a project, as other resources show them. */
export const pipelineBasics = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('pipelines as p')
    .select(basicColumns.map((name) => `p.${name}` as const))
    .where('p.project_id', '=', projectId)

/** The pipelines of a project. */
export const pipelinesOf = (db: Db | Tx['db'], projectId: number) =>
  pipelineBasics(db, projectId).select('p.name')

/** The time in which some job of the pipeline `p` ran, in seconds: times of jobs that ran at once count once. */
export const ranFor = (now: string) => sql<number | null>`(
  select extract(epoch from sum(upper(span) - lower(span)))::float8 from (
    select unnest(range_agg(tstzrange(j.started_at, greatest(j.started_at, coalesce(j.finished_at, ${now}::timestamptz))))) as span
    from ci_jobs j where j.pipeline_id = p.id and not j.retried and j.started_at is not null
  ) as spans)`

const warns = sql<boolean>`exists (
  select from ci_jobs j where j.pipeline_id = p.id and not j.retried and j.allow_failure and j.status in ('failed', 'canceled'))`

const user = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = p.user_id)`

/** A pipeline of a project with everything that an answer shows. @throws 404 */
export const findPipeline = (
  db: Db | Tx['db'],
  projectId: number,
  id: number,
  now: string,
): Promise<PipelineRow> =>
  whole(db, projectId, now)
    .where('p.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())

const whole = (db: Db | Tx['db'], projectId: number, now: string) =>
  pipelinesOf(db, projectId).select([
    'p.before_sha',
    'p.tag',
    'p.yaml_errors',
    'p.started_at',
    'p.finished_at',
    'p.committed_at',
    'p.coverage',
    user.as('user'),
    warns.as('warns'),
    ranFor(now).as('duration'),
  ])

/** The newest pipeline of a branch or tag. @throws 404 */
export const latestPipeline = (db: Db, projectId: number, ref: string, now: string): Promise<PipelineRow> =>
  whole(db, projectId, now)
    .where('p.ref', '=', ref)
    .where('p.is_child', '=', false)
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow(() => notFound('Pipeline'))
