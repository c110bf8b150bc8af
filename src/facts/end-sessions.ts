import { sql } from 'kysely'
import type { Consumer } from './fact.ts'

const names = [
  'user blocked',
  'user banned',
  'user deactivated',
  'user deleted',
  'user password changed',
] as const

/** Signs people out everywhere when they may not be here any more, or when their password might be known. */
export const endSessions: Consumer<(typeof names)[number]> = {
  facts: names,
  alongside: (_, { name, target, details }) => {
    const kept = name === 'user password changed' ? details.kept_session_id : null
    return sql`delete from sessions where user_id = ${target?.id}::bigint and id is distinct from ${kept}::bigint`
  },
}
