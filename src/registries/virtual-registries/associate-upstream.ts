import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, taken } from '#platform/refusals.ts'
import { type AssociationRow, associationColumns, type RegistryRow } from './entity.ts'
import { associationsOf, holdUpstream } from './queries.ts'

export const MAX_UPSTREAMS = 5

/**
 * Adds an upstream of the same group to a registry, as its last one.
 * @param registry locked by `lockRegistry`.
 * @throws 400 when the registry has five or has this one, 404 `Upstream Not Found` when it is gone.
 */
export async function associateUpstream(
  tx: Tx,
  registry: RegistryRow,
  upstreamId: number,
): Promise<AssociationRow> {
  const upstream = await holdUpstream(tx, upstreamId)
  if (upstream.group_id !== registry.group_id)
    throw invalid({ upstream: ['must belong to the same top-level group as the registry'] })
  return associate(tx, registry, upstreamId, 'position')
}

/**
 * The same for an upstream that was made or held before.
 * @param attribute what a refusal names: the position, within what the client makes.
 */
export async function associate(
  tx: Tx,
  registry: RegistryRow,
  upstreamId: number,
  attribute: 'position' | 'registry_upstreams.position',
): Promise<AssociationRow> {
  const present = await associationsOf(tx.db, 'registry_id', registry.id)
  if (present.some(({ upstream_id }) => upstream_id === upstreamId)) throw taken('upstream_id')
  if (present.length >= MAX_UPSTREAMS)
    throw invalid({ [attribute]: [`must be less than or equal to ${MAX_UPSTREAMS}`] })
  const association = await tx.db
    .insertInto('container_registry_upstreams')
    .values({ registry_id: registry.id, upstream_id: upstreamId, position: present.length + 1 })
    .returning(associationColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'container upstream associated',
    namespace: registry.group_id,
    target: { type: 'ContainerRegistry', id: registry.id },
    details: { registry: registry.name, upstream_id: upstreamId, position: association.position },
  })
  return association
}
