import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { countBillableUsers } from '#identity/users/billable-users.ts'

/** Counts the users who take a seat today, and keeps the day's highest numbers. */
export async function keepCount({ db, now }: Tx): Promise<void> {
  const day = dayOf(now)
  const { everybody, aboveGuest } = await countBillableUsers(db, day)
  await sql`
    insert into billable_user_counts as kept (day, everybody, above_guest) values (${day}, ${everybody}, ${aboveGuest})
    on conflict (day) do update set everybody = greatest(kept.everybody, excluded.everybody),
      above_guest = greatest(kept.above_guest, excluded.above_guest)`.execute(db)
}

/** {@link keepCount} in the background: once a day, and on request. */
export const countBillable = defineTask('licenses/count-billable-users', 'short', Type.Object({}), (_, job) =>
  job.transact(keepCount),
)
