import { sql } from 'kysely'
import { Type } from 'typebox'
import { dayOf } from '#http/time.ts'
import { defineTask } from '#jobs/task.ts'
import { billableUnder, countBillableUsers } from './billable-users.ts'

/** Counts who takes a seat today and keeps the highest number of the day. */
export const countBillable = defineTask('licenses/count-billable-users', Type.Object({}), async (_, job) => {
  await job.transact(async ({ db, now }) => {
    const day = dayOf(now)
    const users = billableUnder(job.currentPlan(), await countBillableUsers(db, day))
    await db
      .insertInto('billable_user_counts')
      .values({ day, users })
      .onConflict((conflict) =>
        conflict
          .column('day')
          .doUpdateSet({ users: sql`greatest(billable_user_counts.users, excluded.users)` }),
      )
      .execute()
  })
})
