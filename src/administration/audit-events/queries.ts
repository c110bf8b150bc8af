import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { AuditEventRow } from './entity.ts'

/** Newest first. */
export const auditEventOrder: ListOrder = {
  of: 'AuditEvent',
  id: 'e.id',
  columns: { id: { column: 'e.id' } },
  by: 'id',
  sort: 'desc',
  keyset: { orders: { id: ['desc'] }, availability: 'authenticated' },
}

/** The entity whose events are listed; without it, all of the instance. */
export interface About {
  readonly entity_type?: AuditEventRow['entity_type']
  readonly entity_id?: number
  readonly author_id?: number
}

interface Filter extends About {
  readonly created_after?: string
  readonly created_before?: string
}

const eventColumns = [
  'e.id',
  'e.event_name',
  'e.author_id',
  'e.author_name',
  'e.author_email',
  'e.entity_id',
  'e.entity_path',
  'e.target_type',
  'e.target_id',
  'e.target_details',
  'e.ip',
  'e.created_at',
] as const

export function auditEvents(db: Db, filter: Filter) {
  const { entity_type, entity_id, author_id, created_after, created_before } = filter
  return db
    .selectFrom('audit_events as e')
    .select(eventColumns)
    .select([
      sql<AuditEventRow['entity_type']>`e.entity_type`.as('entity_type'),
      sql<AuditEventRow['details']>`e.details`.as('details'),
    ])
    .$if(entity_type !== undefined, (q) => q.where('e.entity_type', '=', entity_type ?? 'User'))
    .$if(entity_id !== undefined, (q) => q.where('e.entity_id', '=', entity_id ?? 0))
    .$if(author_id !== undefined, (q) => q.where('e.author_id', '=', author_id ?? 0))
    .$if(created_after !== undefined, (q) => q.where('e.created_at', '>=', created_after ?? ''))
    .$if(created_before !== undefined, (q) => q.where('e.created_at', '<=', created_before ?? ''))
}

/**
 * Finds an event among those about an entity.
 * @throws 404 `Audit Event Not Found`
 */
export async function findAuditEvent(db: Db, id: number, about: About = {}): Promise<AuditEventRow> {
  return auditEvents(db, about)
    .where('e.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Audit Event'))
}
