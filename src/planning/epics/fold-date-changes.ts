import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import { refreshDates } from './refresh-dates.ts'

/** How many changes one transaction works off. */
const CHANGES_PER_TRANSACTION = 500

/** Finds out the inherited dates of epics whose issues or milestones changed. */
export const foldDateChanges = defineTask(
  'epics.fold-date-changes',
  'short',
  Type.Object({}),
  async (_, job) => {
    for (let folded = CHANGES_PER_TRANSACTION; folded === CHANGES_PER_TRANSACTION && !job.signal.aborted;) {
      folded = await job.transact(async (tx) => {
        // Another process may do the same: each works off what it removes.
        const { rows } = await sql<{ epic_id: number }>`
          delete from epic_date_changes where id = any(array(
            select id from epic_date_changes order by id limit ${CHANGES_PER_TRANSACTION} for update skip locked))
          returning epic_id`.execute(tx.db)
        await refreshDates(tx, [...new Set(rows.map(({ epic_id }) => epic_id))])
        return rows.length
      })
    }
  },
)
