import { sql } from 'kysely'
import type { Consumer, FactOf } from '#platform/facts/fact.ts'

const names = [
  'issue closed',
  'issue reopened',
  'issue labels changed',
  'issue milestone changed',
  'issue weight changed',
] as const

/** What an event tells beside its issue, its author and its time. */
type Event =
  | { readonly kind: 'state'; readonly state: 'closed' | 'reopened' }
  | { readonly kind: 'label'; readonly label_id: number; readonly action: Action }
  | { readonly kind: 'milestone'; readonly milestone_id: number; readonly action: Action }
  | { readonly kind: 'weight'; readonly weight: number | null }

type Action = 'add' | 'remove'

/** Keeps the changes of state, labels, milestone and weight: they have lists of their own and are not notes. */
export const resourceEvents: Consumer<(typeof names)[number]> = {
  name: 'resource_events_made',
  facts: names,
  rows: (fact, { author, now }) =>
    eventsOf(fact).map((event) => ({
      ...event,
      noteable_id: fact.target?.id,
      user_id: author?.id ?? null,
      created_at: now,
    })),
  statement: (rows) => sql`
    insert into resource_events (kind, noteable_id, user_id, created_at, state, label_id, milestone_id, action,
      weight)
    select e.kind, e.noteable_id, e.user_id, e.created_at, e.state, e.label_id, e.milestone_id, e.action,
      e.weight
    from jsonb_to_recordset(${rows}) as e (kind resource_event_kind, noteable_id bigint, user_id bigint,
      created_at timestamptz, state text, label_id bigint, milestone_id bigint, action resource_event_action,
      weight integer)`,
}

function eventsOf(fact: FactOf<(typeof names)[number]>): Event[] {
  switch (fact.name) {
    case 'issue closed':
      return [{ kind: 'state', state: 'closed' }]
    case 'issue reopened':
      return [{ kind: 'state', state: 'reopened' }]
    case 'issue labels changed': {
      const { added, removed } = fact.details
      return both(added, removed, (label_id, action) => ({ kind: 'label', label_id, action }))
    }
    case 'issue milestone changed': {
      const { from, to } = fact.details
      const ids = (id: number | null) => (id === null ? [] : [id])
      return both(ids(to), ids(from), (milestone_id, action) => ({ kind: 'milestone', milestone_id, action }))
    }
    case 'issue weight changed':
      return [{ kind: 'weight', weight: fact.details.to }]
  }
}

function both(
  added: readonly number[],
  removed: readonly number[],
  event: (id: number, action: Action) => Event,
): Event[] {
  return [...removed.map((id) => event(id, 'remove')), ...added.map((id) => event(id, 'add'))]
}
