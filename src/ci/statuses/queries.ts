import { sql } from 'kysely'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'

export const commitStatusOrder: ListOrder = {
  of: 'CommitStatus',
  id: 's.id',
  columns: { id: { column: 's.id' }, pipeline_id: { column: 's.pipeline_id' } },
  by: 'id',
  sort: 'asc',
}

/** What external programs say of a commit, and the jobs of its pipelines, with their authors. */
export function statusesOf(db: Db | Tx['db'], projectId: number, sha: string) {
  const external = db
    .selectFrom('commit_statuses as c')
    .where('c.project_id', '=', projectId)
    .where('c.sha', '=', sha)
    .select([
      'c.id',
      'c.sha',
      'c.ref',
      sql<CiStatus>`c.state::text::ci_status`.as('state'),
      'c.name',
      'c.target_url',
      'c.description',
      'c.created_at',
      'c.started_at',
      'c.finished_at',
      'c.coverage',
      'c.pipeline_id',
      'c.retried',
      sql<string>`'external'::text`.as('stage'),
      sql<boolean>`false`.as('allow_failure'),
      sql<boolean>`false`.as('is_job'),
      'c.author_id',
    ])
  const jobs = db
    .selectFrom('pipelines as p')
    .innerJoin('ci_jobs as j', 'j.pipeline_id', 'p.id')
    .where('p.project_id', '=', projectId)
    .where('p.sha', '=', sha)
    .select([
      'j.id',
      'p.sha',
      'p.ref',
      'j.status as state',
      'j.name',
      sql<string | null>`null::text`.as('target_url'),
      sql<string | null>`null::text`.as('description'),
      'j.created_at',
      'j.started_at',
      'j.finished_at',
      'j.coverage',
      'j.pipeline_id',
      'j.retried',
      'j.stage',
      'j.allow_failure',
      sql<boolean>`true`.as('is_job'),
      sql<number>`j.user_id`.as('author_id'),
    ])
  return db
    .selectFrom(external.unionAll(jobs).as('s'))
    .select([
      's.id',
      's.sha',
      's.ref',
      's.state',
      's.name',
      's.target_url',
      's.description',
      's.created_at',
      's.started_at',
      's.finished_at',
      's.coverage',
      's.pipeline_id',
      's.allow_failure',
      's.is_job',
      sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = s.author_id)`.as(
        'author',
      ),
    ])
}

type StatusQuery = ReturnType<typeof statusesOf>

export interface StatusFilter {
  readonly ref?: string
  readonly stage?: string
  readonly name?: string
  readonly pipeline_id?: number
  readonly all: boolean
}

export function filterStatuses(query: StatusQuery, filter: StatusFilter): StatusQuery {
  const { ref = '', stage = '', name = '', pipeline_id, all } = filter
  return query
    .$if(ref !== '', (q) => q.where('s.ref', '=', ref))
    .$if(stage !== '', (q) => q.where('s.stage', '=', stage))
    .$if(name !== '', (q) => q.where('s.name', '=', name))
    .$if(pipeline_id !== undefined, (q) => q.where('s.pipeline_id', '=', pipeline_id ?? 0))
    .$if(!all, (q) => q.where('s.retried', '=', false))
}
