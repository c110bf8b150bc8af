import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { Membership } from './entity.ts'

export const membershipOrder: ListOrder = { of: 'Member', id: 'm.id', columns: {}, by: 'id', sort: 'asc' }

/** The groups and projects of which a user is a direct member. */
export function membershipsOf(db: Db, userId: number, type?: 'Project' | 'Namespace') {
  return db
    .selectFrom('members as m')
    .innerJoin('namespaces as n', 'n.id', 'm.namespace_id')
    .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['n.name', 'n.kind', 'm.access_level'])
    .select(sql<number>`coalesce(p.id, n.id)`.as('source_id'))
    .where('m.user_id', '=', userId)
    .where('n.deleted_at', 'is', null)
    .where('n.kind', 'in', kinds[type ?? 'all'])
}

const kinds = { Project: ['project'], Namespace: ['group'], all: ['project', 'group'] } as const

type Row = { name: string; kind: string; access_level: number; source_id: number }

export function presentMemberships(rows: readonly Row[]): Static<typeof Membership>[] {
  return rows.map(({ name, kind, access_level, source_id }) => ({
    source_id,
    source_name: name,
    source_type: kind === 'project' ? 'Project' : 'Namespace',
    access_level,
  }))
}
