import { sql } from 'kysely'
import { definitions } from '#platform/facts/definitions.ts'
import type { Consumer, FactName } from '#platform/facts/fact.ts'

const isFactName = (name: string): name is FactName => Object.hasOwn(definitions, name)

/**
 * Moves `last_activity_at` of the project in which something happened, at most once a minute: a busy project's row
 * is not rewritten, or waited for, by everything that happens in it. Other namespaces match no row.
 */
export const projectActivity: Consumer = {
  name: 'activity',
  facts: Object.keys(definitions)
    .filter(isFactName)
    .filter((name) => definitions[name].activity),
  rows: ({ namespace }, { now }) => [{ namespace, at: now }],
  statement: (rows) => sql`
    update projects p set last_activity_at = moved.at
    from (
      select locked.id, latest.at
      from (select r.namespace, max(r.at) as at from jsonb_to_recordset(${rows}) as r (namespace bigint, at timestamptz)
          group by r.namespace) as latest
        join projects locked on locked.project_namespace_id = latest.namespace
      where locked.last_activity_at <= latest.at - interval '1 minute'
      order by locked.id for no key update of locked
    ) as moved
    where p.id = moved.id`,
}
