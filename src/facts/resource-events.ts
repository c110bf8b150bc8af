import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#db/transaction.ts'
import type { Consumer, FactOf } from './fact.ts'

const names = [
  'issue closed',
  'issue reopened',
  'issue labels changed',
  'issue milestone changed',
  'issue weight changed',
] as const

/** Keeps the changes of state, labels, milestone and weight: they have lists of their own and are not notes. */
export const resourceEvents: Consumer<(typeof names)[number]> = {
  facts: names,
  alongside: (tx, fact) => {
    switch (fact.name) {
      case 'issue closed':
        return stateEvent(tx, fact, 'closed')
      case 'issue reopened':
        return stateEvent(tx, fact, 'reopened')
      case 'issue labels changed':
        return changeEvents(tx, fact, 'label', fact.details.added, fact.details.removed)
      case 'issue milestone changed': {
        const { from, to } = fact.details
        return changeEvents(tx, fact, 'milestone', to === null ? [] : [to], from === null ? [] : [from])
      }
      case 'issue weight changed':
        return weightEvent(tx, fact, fact.details.to)
    }
  },
}

type Recorded = FactOf<(typeof names)[number]>

function stateEvent(tx: Tx, { target }: Recorded, state: string): RawBuilder<unknown> {
  return sql`insert into resource_events (kind, issue_id, user_id, created_at, state)
    values ('state', ${target?.id}, ${tx.author?.id ?? null}, ${tx.now}, ${state})`
}

function weightEvent(tx: Tx, { target }: Recorded, weight: number | null): RawBuilder<unknown> {
  return sql`insert into resource_events (kind, issue_id, user_id, created_at, weight)
    values ('weight', ${target?.id}, ${tx.author?.id ?? null}, ${tx.now}, ${weight})`
}

function changeEvents(
  tx: Tx,
  { target }: Recorded,
  kind: 'label' | 'milestone',
  added: readonly number[],
  removed: readonly number[],
): RawBuilder<unknown> {
  return sql`insert into resource_events (kind, issue_id, user_id, created_at, ${sql.ref(`${kind}_id`)}, action)
    select ${kind}::resource_event_kind, ${target?.id}::bigint, ${tx.author?.id ?? null}::bigint, ${tx.now}::timestamptz,
      changed.id, changed.action
    from (
      select unnest(${removed}::bigint[]) as id, 'remove'::resource_event_action as action
      union all select unnest(${added}::bigint[]), 'add'
    ) as changed`
}
