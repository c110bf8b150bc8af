import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'

/** How many changes one statement adds up. */
const CHANGES_PER_STATEMENT = 10_000

/** Adds the changes of the numbers of open issues to these numbers, so that readers have few rows to add up. */
export const foldOpenCounts = defineTask(
  'issues.fold-open-counts',
  'short',
  Type.Object({}),
  async (_, { db, signal }) => {
    for (let folded = CHANGES_PER_STATEMENT; folded === CHANGES_PER_STATEMENT && !signal.aborted;) {
      // Another process may do the same: each row of changes is counted by the one that removes it.
      const { rows } = await sql<{ folded: number }>`
        with gone as (
          delete from open_issue_changes where id = any(array(
            select id from open_issue_changes order by id limit ${CHANGES_PER_STATEMENT} for update skip locked))
            returning project_id, confidential, change),
        -- The lock keeps a project from being removed meanwhile.
        there as materialized (
          select p.id from projects p where p.id in (select project_id from gone) order by p.id for key share),
        sums as (
          select g.project_id, g.confidential, sum(g.change) as change from gone g
            where g.project_id in (select p.id from there p)
            group by g.project_id, g.confidential order by g.project_id, g.confidential),
        folded as (
          insert into open_issue_counts as c (project_id, confidential, count)
            select project_id, confidential, change from sums
            on conflict (project_id, confidential) do update set count = c.count + excluded.count)
        select count(*) as folded from gone`.execute(db)
      folded = rows[0]?.folded ?? 0
    }
  },
)
