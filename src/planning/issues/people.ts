import { type RawBuilder, sql } from 'kysely'

/** A query for the ids of the users who wrote an issue or work on it. */
export const peopleOfIssue = (id: RawBuilder<number> | number): RawBuilder<unknown> => sql`
  select i.author_id from issues i where i.id = ${id}
  union select a.user_id from issue_assignees a where a.issue_id = ${id}`
