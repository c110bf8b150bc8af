import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { BadgeRow } from './entity.ts'

/** Deletes a badge. @param badge locked by `lockBadge`. */
export async function deleteBadge(tx: Tx, badge: BadgeRow): Promise<void> {
  await tx.db.deleteFrom('badges').where('id', '=', badge.id).execute()
  const { link_url, image_url } = badge
  record(tx, {
    name: 'badge deleted',
    namespace: badge.namespace_id,
    target: { type: 'Badge', id: badge.id },
    details: { badge: badge.name, link_url, image_url },
  })
}
