import { sql } from 'kysely'
import type { Consumer } from '#platform/facts/fact.ts'

const endingFacts = [
  'user blocked',
  'user banned',
  'user deactivated',
  'user deleted',
  'user password changed',
] as const

/** Signs people out everywhere when they may no longer use the instance, or when their password might be known. */
export const endSessions: Consumer<(typeof endingFacts)[number]> = {
  name: 'sessions_ended',
  facts: () => endingFacts,
  rows: ({ name, target, details }) => [
    { user_id: target?.id, kept: name === 'user password changed' ? details.kept_session_id : null },
  ],
  statement: (rows) => sql`
    delete from sessions s using jsonb_to_recordset(${rows}) as ended (user_id bigint, kept bigint)
    where s.user_id = ended.user_id and s.id is distinct from ended.kept`,
}
