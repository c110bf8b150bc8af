import { sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { hideUpstreams } from './hide-upstreams.ts'
import { dissociateUpstream } from './positions.ts'
import { associationsOf, lockRegistry, lockUpstream } from './queries.ts'

/** Deletes an upstream, from all registries, with what is kept of it. @throws 404 */
export async function deleteUpstream(tx: Tx, id: number): Promise<void> {
  const registryIds = (await associationsOf(tx.db, 'upstream_id', id)).map(({ registry_id }) => registry_id)
  await sql`
    select 1 from container_registries where id = any(${registryIds}::bigint[]) order by id for no key update`.execute(
    tx.db,
  )
  const upstream = await lockUpstream(tx, id)
  const associations = await associationsOf(tx.db, 'upstream_id', id)
  if (associations.some(({ registry_id }) => !registryIds.includes(registry_id)))
    throw new InTheWay('a registry has got the upstream meanwhile')
  for (const association of associations) {
    await dissociateUpstream(tx, await lockRegistry(tx, association.registry_id), association.id)
  }
  await hideUpstreams(tx, [id])
  record(tx, {
    name: 'container upstream deleted',
    namespace: upstream.group_id,
    target: { type: 'ContainerUpstream', id },
    details: { name: upstream.name, url: upstream.url },
  })
}
