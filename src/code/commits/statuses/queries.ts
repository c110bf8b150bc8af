import { sql } from 'kysely'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { CommitStatusState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'

export const commitStatusOrder: ListOrder = {
  of: 'CommitStatus',
  id: 's.id',
  columns: { id: { column: 's.id' }, pipeline_id: { column: 's.pipeline_id' } },
  by: 'id',
  sort: 'asc',
}

/** The statuses of a commit, with their authors. */
export function statusesOf(db: Db | Tx['db'], projectId: number, sha: string) {
  return db
    .selectFrom('commit_statuses as s')
    .where('s.project_id', '=', projectId)
    .where('s.sha', '=', sha)
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
      sql<UserBasicRow>`(select ${userBasicJson('u')} from users u where u.id = s.author_id)`.as('author'),
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
    .$if(stage !== '' && stage !== 'external', (q) => q.where(sql<boolean>`false`))
    .$if(name !== '', (q) => q.where('s.name', '=', name))
    .$if(pipeline_id !== undefined, (q) => q.where('s.pipeline_id', '=', pipeline_id ?? 0))
    .$if(!all, (q) => q.where('s.retried', '=', false))
}

/** What the statuses of a commit say together: those of the latest pipeline. Null when there are none. */
export async function statusOfCommit(
  db: Db,
  projectId: number,
  sha: string,
): Promise<CommitStatusState | null> {
  const ofCommit = db
    .selectFrom('commit_statuses as s')
    .where('s.project_id', '=', projectId)
    .where('s.sha', '=', sha)
    .where('s.retried', '=', false)
  const rows = await ofCommit
    .where(
      's.pipeline_id',
      '=',
      ofCommit.select((eb) => eb.fn.max('s.pipeline_id').as('latest')),
    )
    .select('s.state')
    .distinct()
    .execute()
  return together(rows.map(({ state }) => state))
}

/** The state of several checks. One that still runs says more than one that failed. */
function together(states: readonly CommitStatusState[]): CommitStatusState | null {
  const [only] = states
  if (only === undefined || states.length === 1) return only ?? null
  if (states.includes('running') || states.includes('pending')) return 'running'
  return (['failed', 'canceled', 'success'] as const).find((state) => states.includes(state)) ?? null
}
