import { type NotNull, type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import type { ResourceEventKind } from '#platform/db/schema.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { LabelDetailRow } from '#planning/labels/entity.ts'
import { milestoneJson } from '#planning/milestones/entity.ts'
import { noteableVisibleTo } from '#planning/notes/visible.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'

/** Oldest first. With an order by the id alone, PostgreSQL would read all events to find the oldest of something. */
export const eventOrder: ListOrder = {
  of: 'ResourceEvent',
  id: 'e.id',
  columns: { created_at: { column: 'e.created_at' } },
  by: 'created_at',
  sort: 'asc',
  statements: new StatementCache({ name: 'resource events', max: 16, plan: 'generic' }),
}

function eventsOf(db: Db, { kind, id }: Noteable, event: ResourceEventKind) {
  return db
    .selectFrom('resource_events as e')
    .where('e.noteable_id', '=', id)
    .where('e.kind', '=', event)
    .select(['e.id', 'e.created_at'])
    .select([
      sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = e.user_id)`.as('user'),
      'e.noteable_id as resource_id',
      sql<string>`${sql.lit(kind.type)}`.as('resource_type'),
    ])
}

/** Whether a row belongs to the container or a group above it, wherever the container was when the event happened. */
const at = (alias: string, { container }: Noteable): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${alias}.namespace_id`)} = any(${[...container.namespace.traversal_ids]}::bigint[])`

export function stateEventsOf(db: Db, on: Noteable) {
  const seen = noteableVisibleTo(on.viewer, sql<number>`e.about_noteable_id`)
  return eventsOf(db, on, 'state')
    .select([
      'e.state',
      sql<string | null>`case when e.about_noteable_id is not null and ${seen} then e.source_commit end`.as(
        'source_commit',
      ),
    ])
    .$narrowType<{ state: NotNull }>()
}

export function labelEventsOf(db: Db, on: Noteable) {
  return eventsOf(db, on, 'label')
    .select([
      'e.action',
      sql<LabelDetailRow | null>`(
        select json_build_object('id', l.id, 'name', l.name, 'description', l.description, 'color', l.color,
            'archived', l.archived) from labels l where l.id = e.label_id and ${at('l', on)})`.as('label'),
    ])
    .$narrowType<{ action: NotNull }>()
}

export function milestoneEventsOf(db: Db, on: Noteable, longest?: number) {
  const known = sql<
    number | null
  >`(select k.id from milestones k where k.id = e.milestone_id and ${at('k', on)})`
  return eventsOf(db, on, 'milestone')
    .select(['e.action', milestoneJson(known, longest).as('milestone')])
    .$narrowType<{ action: NotNull }>()
}

export function weightEventsOf(db: Db, on: Noteable) {
  return eventsOf(db, on, 'weight').select('e.weight')
}
