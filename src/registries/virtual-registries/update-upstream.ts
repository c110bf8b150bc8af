import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import type { NewUpstream } from './create-upstream.ts'
import type { StoredCredentials } from './credentials.ts'
import { upstreamColumns, type UpstreamRow } from './entity.ts'
import { purgeUpstreams } from './purge-cache.ts'

/**
 * Changes the given attributes that differ. What was kept of another URL is purged.
 * @param upstream locked by `lockUpstream`.
 * @param credentials undefined to leave them as they are.
 * @throws 400 when the group has another upstream with that URL and these credentials.
 */
export async function updateUpstream(
  tx: Tx,
  upstream: UpstreamRow,
  given: Partial<NewUpstream>,
  credentials: StoredCredentials | undefined,
): Promise<UpstreamRow> {
  const { name, description, url, cache_validity_hours } = { ...upstream, ...given }
  const next = { name, description, url, cache_validity_hours, ...credentials }
  const changes = { ...changesBetween(plainOf(upstream), plainOf({ ...upstream, ...next })) }
  const isNewPassword =
    credentials !== undefined && !credentials.credentials_digest.equals(upstream.credentials_digest)
  if (isNewPassword) changes['password'] = { from: null, to: null }
  const fields = Object.keys(changes)
  if (fields.length === 0) return upstream
  const changed = await tx.db
    .updateTable('container_upstreams')
    .set({ ...next, updated_at: tx.now })
    .where('id', '=', upstream.id)
    .returning(upstreamColumns)
    .executeTakeFirstOrThrow()
  if (url !== upstream.url) await purgeUpstreams(tx, [upstream.id])
  record(tx, {
    name: 'container upstream changed',
    namespace: upstream.group_id,
    target: { type: 'ContainerUpstream', id: upstream.id },
    details: { name, fields, changes },
  })
  return changed
}

/** What may be told of an upstream. */
const plainOf = ({ name, description, url, cache_validity_hours, username }: UpstreamRow) => ({
  name,
  description,
  url,
  cache_validity_hours,
  username,
})
