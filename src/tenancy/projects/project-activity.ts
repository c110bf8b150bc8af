import { sql } from 'kysely'
import { factDefinitions } from '#platform/facts/definitions.ts'
import type { Consumer, FactName } from '#platform/facts/fact.ts'

const isFact = (name: string): name is FactName =>
  factDefinitions.entries.some((facts) => Object.hasOwn(facts, name))

/**
 * Updates a project's `last_activity_at` when something happens in it, at most once a minute, so that a busy project's
 * row is not rewritten, or waited for, each time. For other namespaces the statement matches no row.
 */
export const projectActivity: Consumer = {
  name: 'activity',
  facts: () =>
    factDefinitions.entries
      .flatMap((facts) => Object.keys(facts).filter((name) => facts[name]?.activity))
      .filter(isFact),
  rows: ({ namespace }, { now }) => [{ namespace, at: now }],
  // PostgreSQL expects a hundred rows, and would read all projects for them: a look-up for each finds those to change, mostly none.
  statement: (rows) => sql`
    update projects p set last_activity_at = moved.at
    from (
      select locked.id, due.at
      from (
        select quiet.id, latest.at
        from (select r.namespace, max(r.at) as at from jsonb_to_recordset(${rows}) as r (namespace bigint, at timestamptz)
            group by r.namespace) as latest
          cross join lateral (
            select q.id from projects q
              where q.project_namespace_id = latest.namespace and q.last_activity_at <= latest.at - interval '1 minute'
              offset 0
          ) as quiet
      ) as due join projects locked on locked.id = due.id
      where locked.last_activity_at <= due.at - interval '1 minute'
      order by locked.id for no key update of locked
    ) as moved
    where p.id = moved.id`,
}
