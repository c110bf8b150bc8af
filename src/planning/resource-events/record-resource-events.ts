import { sql } from 'kysely'
import { insertRecords } from '#platform/db/recordset.ts'
import type { Consumer } from '#platform/facts/fact.ts'
import { kindOfType, noteableKinds } from '#planning/noteables/kinds.ts'

const columns = sql`
  kind, noteable_id, user_id, created_at, state, label_id, milestone_id, action, weight, source_commit, about_noteable_id`

/** Stores the changes of state, labels, milestone and weight: they have lists of their own and are not notes. */
export const resourceEvents: Consumer = {
  name: 'resource_events_made',
  facts: () => noteableKinds().flatMap((kind) => kind.resourceEvents.of.facts),
  rows(fact, { author, now }) {
    const { target } = fact
    if (target === null) return []
    const events = kindOfType(target.type)?.resourceEvents.of.read(fact) ?? []
    return events.map((event) => ({
      ...event,
      noteable_id: target.id,
      user_id: author?.id ?? null,
      created_at: now,
    }))
  },
  statement: (rows) => insertRecords('resource_events', columns, rows),
}
