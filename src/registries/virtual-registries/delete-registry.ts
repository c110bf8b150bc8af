import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { RegistryRow } from './entity.ts'
import { hideUpstreams } from './hide-upstreams.ts'

/**
 * Deletes a registry, with the upstreams that no other registry has and what these keep.
 * @param registry locked by `lockRegistry` for its deletion.
 */
export async function deleteRegistry(tx: Tx, registry: RegistryRow): Promise<void> {
  const own = await lockOwnUpstreams(tx, registry.id)
  await tx.db.deleteFrom('container_registries').where('id', '=', registry.id).execute()
  await hideUpstreams(tx, own)
  record(tx, {
    name: 'container registry deleted',
    namespace: registry.group_id,
    target: { type: 'ContainerRegistry', id: registry.id },
    details: { name: registry.name },
  })
}

/** Locks the upstreams of a registry. @returns the ids of those that no other registry has. */
export async function lockOwnUpstreams(tx: Tx, registryId: number): Promise<number[]> {
  await sql`
    select 1 from container_upstreams
    where id in (select upstream_id from container_registry_upstreams where registry_id = ${registryId})
    order by id for no key update`.execute(tx.db)
  // In a statement of its own, which sees what others committed before they let go of the upstreams.
  const { rows } = await sql<{ id: number }>`
    select u.id from container_registry_upstreams a join container_upstreams u on u.id = a.upstream_id
    where a.registry_id = ${registryId} and u.deleted_at is null and not exists (
      select 1 from container_registry_upstreams other
      where other.upstream_id = a.upstream_id and other.registry_id <> ${registryId})
    order by u.id`.execute(tx.db)
  return rows.map(({ id }) => id)
}
