import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { MAX_DEPTH } from './limits.ts'

/**
 * Finds out which dates epics inherit: the earliest start and the latest due date of the milestones of their issues and of
 * their child epics. Epics above them follow. It takes locks from the bottom up, as everything does that changes dates.
 */
export async function refreshDates(tx: Tx, ids: readonly number[]): Promise<void> {
  let changing = [...ids]
  // Once for each level at most.
  for (let level = 0; level <= MAX_DEPTH && changing.length > 0; level += 1) {
    await sql`select 1 from epics where id = any(${changing}::bigint[]) order by id for no key update`.execute(
      tx.db,
    )
    const { rows } = await sql<{ parent_id: number | null }>`
      update epics e set start_date_inherited = found.start_date, due_date_inherited = found.due_date
      from unnest(${changing}::bigint[]) as wanted (id)
        cross join lateral (${inheritedBy}) found
      where e.id = wanted.id and (e.start_date_inherited is distinct from found.start_date
        or e.due_date_inherited is distinct from found.due_date)
      returning e.parent_id`.execute(tx.db)
    changing = [...new Set(rows.flatMap(({ parent_id }) => parent_id ?? []))]
  }
}

const inheritedBy = sql`
  select min(below.start_date) as start_date, max(below.due_date) as due_date from (
    select m.start_date, m.due_date from epic_issues k
      join issues i on i.id = k.issue_id join milestones m on m.id = i.milestone_id where k.epic_id = wanted.id
    union all select c.start_date, c.due_date from epics c where c.parent_id = wanted.id) below`
