import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import type { AssociationRow, RegistryRow } from './entity.ts'
import { associationsOf } from './queries.ts'

// The positions of a registry's upstreams are 1, 2, 3 … without gaps. Whoever changes them has locked the registry.

/** Numbers the associations of a registry in this order. Positions are unique once the transaction commits. */
async function number(tx: Tx, inOrder: readonly AssociationRow[]): Promise<void> {
  const ids = inOrder.map(({ id }) => id)
  await sql`
    update container_registry_upstreams a set position = o.position
    from unnest(${ids}::bigint[]) with ordinality as o (id, position)
    where a.id = o.id and a.position <> o.position`.execute(tx.db)
}

async function ownAssociation(tx: Tx, registry: RegistryRow, id: number) {
  const all = await associationsOf(tx.db, 'registry_id', registry.id)
  const own = orNotFound(all.find((one) => one.id === id))
  return { own, others: all.filter((one) => one !== own) }
}

/**
 * Moves an upstream within the order of a registry. A position beyond the last one means the last.
 * @param registry locked by `lockRegistry`.
 * @throws 404 when the association is gone.
 */
export async function moveUpstream(
  tx: Tx,
  registry: RegistryRow,
  id: number,
  wanted: number,
): Promise<AssociationRow> {
  const { own, others } = await ownAssociation(tx, registry, id)
  const position = Math.min(wanted, others.length + 1)
  if (position === own.position) return own
  await number(tx, others.toSpliced(position - 1, 0, own))
  record(tx, {
    name: 'container upstream moved',
    namespace: registry.group_id,
    target: { type: 'ContainerRegistry', id: registry.id },
    details: { registry: registry.name, upstream_id: own.upstream_id, from: own.position, position },
  })
  return { ...own, position }
}

/**
 * Takes an upstream out of a registry; it stays one of the group.
 * @param registry locked by `lockRegistry`.
 * @throws 404 when the association is gone.
 */
export async function dissociateUpstream(tx: Tx, registry: RegistryRow, id: number): Promise<void> {
  const { own, others } = await ownAssociation(tx, registry, id)
  await tx.db.deleteFrom('container_registry_upstreams').where('id', '=', id).execute()
  await number(tx, others)
  record(tx, {
    name: 'container upstream dissociated',
    namespace: registry.group_id,
    target: { type: 'ContainerRegistry', id: registry.id },
    details: { registry: registry.name, upstream_id: own.upstream_id, position: own.position },
  })
}
