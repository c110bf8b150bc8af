import type { TreePosition } from '#platform/access/containers.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { checkUrls } from './check-urls.ts'
import { badgeColumns, type BadgeRow } from './entity.ts'

export interface NewBadge {
  readonly link_url: string
  readonly image_url: string
  readonly name?: string | null
}

/** Makes a badge of a project or group. @throws 400 for other URLs than http and https, 404 when the container is gone. */
export async function createBadge(
  tx: Tx,
  { namespace_id }: Pick<TreePosition, 'namespace_id'>,
  { name = null, link_url, image_url }: NewBadge,
): Promise<BadgeRow> {
  checkUrls({ link_url, image_url })
  await lockParent(tx, namespace_id)
  const badge = await tx.db
    .insertInto('badges')
    .values({ namespace_id, name, link_url, image_url, created_at: tx.now, updated_at: tx.now })
    .returning(badgeColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'badge created',
    namespace: namespace_id,
    target: { type: 'Badge', id: badge.id },
    details: { badge: name, link_url, image_url },
  })
  return badge
}
