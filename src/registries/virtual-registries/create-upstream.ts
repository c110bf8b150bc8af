import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { associate } from './associate-upstream.ts'
import type { StoredCredentials } from './credentials.ts'
import { type AssociationRow, type RegistryRow, upstreamColumns, type UpstreamRow } from './entity.ts'

export interface NewUpstream {
  /** As `readUpstreamUrl` returns it. */
  readonly url: string
  readonly name: string
  readonly description?: string | null
  readonly cache_validity_hours?: number
}

const DEFAULT_VALIDITY = 24

/**
 * Makes an upstream, as the last one of a registry.
 * @param registry locked by `lockRegistry`.
 * @throws 400 when the registry has five, and when the group has one with this URL and these credentials.
 */
export async function createUpstream(
  tx: Tx,
  registry: RegistryRow,
  { url, name, description = null, cache_validity_hours = DEFAULT_VALIDITY }: NewUpstream,
  credentials: StoredCredentials,
): Promise<{ readonly upstream: UpstreamRow; readonly association: AssociationRow }> {
  const { group_id } = registry
  const upstream = await tx.db
    .insertInto('container_upstreams')
    .values({
      group_id,
      url,
      name,
      description,
      cache_validity_hours,
      ...credentials,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(upstreamColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'container upstream created',
    namespace: group_id,
    target: { type: 'ContainerUpstream', id: upstream.id },
    details: { name, url, username: credentials.username },
  })
  const association = await associate(tx, registry, upstream.id, 'registry_upstreams.position')
  return { upstream, association }
}
