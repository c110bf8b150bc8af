import { sql } from 'kysely'
import type { Static } from 'typebox'
import { userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { basicColumns, type PipelineRow } from './entity.ts'
import type { PipelineFilter } from './parameters.ts'

/** The pipelines of a project, but for those that belong to a parent. */
export const pipelinesOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('pipelines as p')
    .select(basicColumns.map((name) => `p.${name}` as const))
    .select('p.name')
    .where('p.project_id', '=', projectId)

type PipelineQuery = ReturnType<typeof pipelinesOf>

const running: readonly CiStatus[] = ['running']
const pending: readonly CiStatus[] = ['pending', 'created', 'waiting_for_resource', 'preparing']
const finished: readonly CiStatus[] = ['success', 'failed', 'canceled']
const scopes = { running, pending, finished }

export function filterPipelines(query: PipelineQuery, filter: Static<typeof PipelineFilter>): PipelineQuery {
  const { scope, status, ref, sha, yaml_errors, username, name, source } = filter
  const { updated_after, updated_before, created_after, created_before } = filter
  const author = sql<boolean>`p.user_id = (select id from users where lower(username) = lower(${username}::text))`
  const inScope =
    scope === 'running' || scope === 'pending' || scope === 'finished' ? scopes[scope] : undefined
  return (
    query
      .$if(inScope !== undefined, (q) => q.where('p.status', 'in', inScope ?? []))
      // The newest of each branch or tag.
      .$if(scope === 'branches' || scope === 'tags', (q) =>
        q
          .where('p.tag', '=', scope === 'tags')
          .where(
            sql<boolean>`p.id in (select max(x.id) from pipelines x where x.project_id = p.project_id and not x.is_child group by x.ref)`,
          ),
      )
      .$if(source !== 'parent_pipeline' && sha === undefined, (q) => q.where('p.is_child', '=', false))
      .$if(status !== undefined, (q) => q.where('p.status', '=', status ?? 'success'))
      .$if(source !== undefined, (q) => q.where('p.source', '=', source ?? ''))
      .$if(ref !== undefined && ref !== '', (q) => q.where('p.ref', '=', ref ?? ''))
      .$if(sha !== undefined && sha !== '', (q) => q.where('p.sha', '=', sha ?? ''))
      .$if(name !== undefined && name !== '', (q) => q.where('p.name', '=', name ?? ''))
      .$if(yaml_errors !== undefined, (q) =>
        q.where('p.yaml_errors', yaml_errors === true ? 'is not' : 'is', null),
      )
      .$if(username !== undefined && username !== '', (q) => q.where(author))
      .$if(updated_after !== undefined, (q) => q.where('p.updated_at', '>=', updated_after ?? ''))
      .$if(updated_before !== undefined, (q) => q.where('p.updated_at', '<=', updated_before ?? ''))
      .$if(created_after !== undefined, (q) => q.where('p.created_at', '>=', created_after ?? ''))
      .$if(created_before !== undefined, (q) => q.where('p.created_at', '<=', created_before ?? ''))
  )
}

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
