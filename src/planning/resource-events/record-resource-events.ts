import { sql } from 'kysely'
import type { Consumer } from '#platform/facts/fact.ts'
import { kindOfType, noteableKinds } from '#planning/noteables/kinds.ts'

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
  statement: (rows) => sql`
    insert into resource_events (kind, noteable_id, user_id, created_at, state, label_id, milestone_id, action,
      weight, source_commit, about_noteable_id)
    select e.kind, e.noteable_id, e.user_id, e.created_at, e.state, e.label_id, e.milestone_id, e.action,
      e.weight, e.source_commit, e.about_noteable_id
    from jsonb_to_recordset(${rows}) as e (kind resource_event_kind, noteable_id bigint, user_id bigint,
      created_at timestamptz, state text, label_id bigint, milestone_id bigint, action resource_event_action,
      weight integer, source_commit text, about_noteable_id bigint)`,
}
