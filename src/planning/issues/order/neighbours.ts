import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { GAP, spread } from './positions.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'

/** The order of the issues of some projects, while one of them is getting another position. */
export interface IssueOrder {
  readonly projectIds: readonly number[]
  /** The moving issue, which is left out of the others' order. */
  readonly movingId: number
}

/** An issue with its position. */
export interface PositionedIssue {
  readonly id: number
  readonly relative_position: number
}

/** The other issues of an ordering. */
function others({ projectIds, movingId }: IssueOrder): RawBuilder<boolean> {
  const theirs = projectIds.map((id) => sql`project_id = ${id}`)
  return sql<boolean>`((${sql.join(theirs, sql` or `)}) and id <> ${movingId})`
}

/** The nearest issues on one side of an issue, as many as there are up to the limit. */
export async function neighbours(
  tx: Tx,
  ordering: IssueOrder,
  { id, relative_position }: PositionedIssue,
  side: 'before' | 'after',
  count: number,
): Promise<PositionedIssue[]> {
  const [beyond, direction] = side === 'after' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  const { rows } = await sql<PositionedIssue>`
    select id, relative_position from issues
    where ${others(ordering)} and (relative_position, id) ${beyond} (${relative_position}::integer, ${id}::bigint)
    order by relative_position ${direction}, id ${direction}
    limit ${count}`.execute(tx.db)
  return rows
}

/**
 * Gives positions to an issue that has none, and to those before it. Issues without one come last, by their ids, so the
 * lists stay the same.
 */
export async function placeUpTo(tx: Tx, ordering: IssueOrder, id: number): Promise<void> {
  await sql`
    with last as (
      select coalesce(max(relative_position), 0)::bigint as position from issues where ${others(ordering)}
    ), waiting as (
      select id, row_number() over (order by id) as nth from issues
      where ${others(ordering)} and relative_position is null and id <= ${id}
    )
    update issues i set relative_position = least(last.position + waiting.nth * ${GAP}, ${MAX_INT4})
    from waiting, last where i.id = waiting.id`.execute(tx.db)
}

/** How many issues on each side are tried first when there is no room. */
const REACH = 32

/** Spreads the issues around one over new positions, moving as few as possible; their order stays. */
export async function makeRoom(tx: Tx, ordering: IssueOrder, around: PositionedIssue): Promise<void> {
  for (let reach = REACH; ; reach *= 8) {
    const before = await neighbours(tx, ordering, around, 'before', reach + 1)
    const after = await neighbours(tx, ordering, around, 'after', reach + 1)
    const moving = [...before.slice(0, reach).toReversed(), around, ...after.slice(0, reach)]
    const [low, high] = [before[reach]?.relative_position ?? null, after[reach]?.relative_position ?? null]
    const positions = spread(moving.length, low, high)
    if (positions !== null) return container(tx, moving, positions)
    if (low === null && high === null) throw new Error('There are more issues than positions')
  }
}

async function container(
  tx: Tx,
  issues: readonly PositionedIssue[],
  positions: readonly number[],
): Promise<void> {
  await sql`
    update issues i set relative_position = given.position
    from unnest(${issues.map(({ id }) => id)}::bigint[], ${positions}::integer[]) as given (id, position)
    where i.id = given.id`.execute(tx.db)
}
