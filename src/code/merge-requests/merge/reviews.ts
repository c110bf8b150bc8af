import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { MessageContext } from './messages.ts'

type Reviews = Pick<MessageContext, 'approvedBy' | 'reviewedBy'>

/** People that a message names at most. */
const MAX_NAMED_PEOPLE = 100

/** Who approved and who reviewed a merge request, with their addresses for commits. */
export async function reviewsOf(db: Db, id: number): Promise<Reviews> {
  const { rows } = await sql<{ name: string; email: string; has: 'approved' | 'reviewed' }>`
    select u.name, coalesce(u.commit_email, u.email) as email, a.has
      from (
        select user_id, created_at, 'approved' as has from merge_request_approvals where merge_request_id = ${id}
        union all select user_id, created_at, 'reviewed' from merge_request_reviewers
          where merge_request_id = ${id} and state in ('reviewed', 'requested_changes', 'approved')
      ) a join users u on u.id = a.user_id order by a.created_at, u.id limit ${2 * MAX_NAMED_PEOPLE}`.execute(
    db,
  )
  const those = (has: string) => rows.filter((row) => row.has === has).slice(0, MAX_NAMED_PEOPLE)
  return { approvedBy: those('approved'), reviewedBy: those('reviewed') }
}
