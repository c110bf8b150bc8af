import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { AuditEvents } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

/** The kinds of things that an event can be about. */
export const entityTypes = ['User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope'] as const

/** An audit event: the action, its author, and the names of that time. */
export const AuditEvent = entity('AuditEvent', {
  id: integer(),
  author_id: integer({ description: '-1 if nobody was signed in.' }),
  entity_id: integer(),
  entity_type: oneOf(entityTypes),
  entity_path: Type.String(),
  event_name: Type.String(),
  details: Type.Object(
    {
      change: Type.Optional(Type.String()),
      from: Type.Optional(nullable(Type.String())),
      to: Type.Optional(nullable(Type.String())),
      add: Type.Optional(Type.String()),
      remove: Type.Optional(Type.String()),
      as: Type.Optional(Type.String({ description: 'A role.' })),
      with: Type.Optional(Type.String({ description: 'How somebody signed in.' })),
      custom_message: Type.Optional(Type.String()),
      impersonated_by: Type.Optional(
        Type.String({ description: 'The administrator who acted as the author.' }),
      ),
      impersonated_by_id: Type.Optional(integer()),
      author_name: Type.String(),
      author_email: nullable(Type.String()),
      target_id: nullable(integer()),
      target_type: Type.String(),
      target_details: nullable(Type.String()),
      ip_address: nullable(Type.String()),
      entity_path: Type.String(),
      event_name: Type.String(),
    },
    { title: 'AuditEventDetails' },
  ),
  created_at: moment(),
})

export type AuditEventRow = Omit<Selectable<AuditEvents>, 'entity_type' | 'details' | 'recorded_at'> & {
  readonly entity_type: (typeof entityTypes)[number]
  /** Only administration/audit-events/record-audit-events.ts writes them. */
  readonly details: Partial<Static<typeof AuditEvent>['details']>
}

export function presentAuditEvent(row: AuditEventRow): Static<typeof AuditEvent> {
  const { id, author_id, entity_id, entity_type, entity_path, event_name, details } = row
  const { author_name, author_email, target_id, target_type, target_details, ip: ip_address } = row
  const who = { author_name, author_email, ip_address }
  return {
    id,
    author_id,
    entity_id,
    entity_type,
    entity_path,
    event_name,
    details: { ...details, ...who, target_id, target_type, target_details, entity_path, event_name },
    created_at: iso(row.created_at),
  }
}
