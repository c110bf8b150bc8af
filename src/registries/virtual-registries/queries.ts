import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { containsEach } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import {
  type AssociationRow,
  associationColumns,
  registryColumns,
  type RegistryRow,
  upstreamColumns,
  type UpstreamRow,
} from './entity.ts'

type On = Db | Tx['db']

/** What a path names by its id. */
export type RegistryResource = 'registry' | 'upstream' | 'association' | 'cache entry'

const groupsOf: Readonly<Record<RegistryResource, (id: number) => RawBuilder<{ group_id: number }>>> = {
  registry: (id) => sql`select group_id from container_registries where id = ${id}`,
  upstream: (id) => sql`select group_id from container_upstreams where id = ${id} and deleted_at is null`,
  association: (id) => sql`
    select r.group_id from container_registry_upstreams a join container_registries r on r.id = a.registry_id
    where a.id = ${id}`,
  'cache entry': (id) => sql`
    select u.group_id from container_cache_entries e join container_upstreams u on u.id = e.upstream_id
    where e.id = ${id} and u.deleted_at is null`,
}

/** The id of the group that something belongs to; undefined when it does not exist. */
export async function findGroupOf(db: On, what: RegistryResource, id: number): Promise<number | undefined> {
  const { rows } = await groupsOf[what](id).execute(db)
  return rows[0]?.group_id
}

export const registriesOf = (db: On, groupId: number): Promise<RegistryRow[]> =>
  db
    .selectFrom('container_registries')
    .select(registryColumns)
    .where('group_id', '=', groupId)
    .orderBy('id')
    .execute()

const registry = (db: On, id: number) =>
  db.selectFrom('container_registries').select(registryColumns).where('id', '=', id)
const upstream = (db: On, id: number) =>
  db
    .selectFrom('container_upstreams')
    .select(upstreamColumns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)

const there = <T>(row: T | undefined, name?: string): T => {
  if (row === undefined) throw notFound(name)
  return row
}

/** @throws 404 */
export const findRegistry = async (db: On, id: number): Promise<RegistryRow> =>
  there(await registry(db, id).executeTakeFirst())

/**
 * Locks a registry before its upstreams change: that is the order of locks here, registries by id, then upstreams by id.
 * @throws 404
 */
export const lockRegistry = async (tx: Tx, id: number, deletes = false): Promise<RegistryRow> =>
  there(
    await (
      deletes ? registry(tx.db, id).forUpdate() : registry(tx.db, id).forNoKeyUpdate()
    ).executeTakeFirst(),
  )

/** @throws 404 */
export const findUpstream = async (db: On, id: number): Promise<UpstreamRow> =>
  there(await upstream(db, id).executeTakeFirst())

/** @throws 404 */
export const lockUpstream = async (tx: Tx, id: number): Promise<UpstreamRow> =>
  there(await upstream(tx.db, id).forNoKeyUpdate().executeTakeFirst())

/** Keeps an upstream from being deleted. @throws 404 `Upstream Not Found` */
export const holdUpstream = async (tx: Tx, id: number): Promise<UpstreamRow> =>
  there(await upstream(tx.db, id).forShare().executeTakeFirst(), 'Upstream')

/** Oldest first. */
export const upstreamOrder: ListOrder = {
  of: 'Upstream',
  id: 'u.id',
  columns: { id: { column: 'u.id' } },
  by: 'id',
  sort: 'asc',
}

export function upstreamsOf(db: Db, groupId: number, name: string | undefined) {
  return db
    .selectFrom('container_upstreams as u')
    .select(upstreamColumns.map((column) => `u.${column}` as const))
    .where('u.group_id', '=', groupId)
    .where('u.deleted_at', 'is', null)
    .$if(name !== undefined, (q) => q.where(containsEach('u.name', name ?? '')))
}

/** The associations of registries or of upstreams, in the order of the registries' upstreams. */
export const associationsOf = (
  db: On,
  column: 'registry_id' | 'upstream_id',
  id: number,
): Promise<AssociationRow[]> =>
  db
    .selectFrom('container_registry_upstreams')
    .select(associationColumns)
    .where(column, '=', id)
    .orderBy('registry_id')
    .orderBy('position')
    .execute()

/** The upstreams of a registry in their order. */
export function upstreamsOfRegistry(db: On, registryId: number) {
  return db
    .selectFrom('container_registry_upstreams as a')
    .innerJoin('container_upstreams as u', 'u.id', 'a.upstream_id')
    .select(upstreamColumns.map((column) => `u.${column}` as const))
    .select(['a.id as association_id', 'a.position'])
    .where('a.registry_id', '=', registryId)
    .where('u.deleted_at', 'is', null)
    .orderBy('a.position')
    .execute()
}

/** @throws 404 */
export const findAssociation = async (db: On, id: number): Promise<AssociationRow> =>
  there(
    await db
      .selectFrom('container_registry_upstreams')
      .select(associationColumns)
      .where('id', '=', id)
      .executeTakeFirst(),
  )
