import { type RawBuilder, sql } from 'kysely'

/** A query for the ids of the users who wrote a merge request, work on it or review it. */
export const peopleOfMergeRequest = (id: RawBuilder<number> | number): RawBuilder<unknown> => sql`
  select mr.author_id from merge_requests mr where mr.id = ${id}
  union select a.user_id from merge_request_assignees a where a.merge_request_id = ${id}
  union select r.user_id from merge_request_reviewers r where r.merge_request_id = ${id}`
