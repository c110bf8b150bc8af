import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { checkUrls } from './check-urls.ts'
import type { NewBadge } from './create-badge.ts'
import type { BadgeRow } from './entity.ts'

/**
 * Changes the given attributes that differ and leaves the rest.
 * @param badge locked by `lockBadge`.
 * @returns the changed badge.
 * @throws 400 for other URLs than http and https.
 */
export async function updateBadge(tx: Tx, badge: BadgeRow, given: Partial<NewBadge>): Promise<BadgeRow> {
  checkUrls(given)
  const { name = badge.name, link_url = badge.link_url, image_url = badge.image_url } = given
  const next = { name, link_url, image_url }
  const { name: oldName, link_url: oldLink, image_url: oldImage } = badge
  const changes = changesBetween({ name: oldName, link_url: oldLink, image_url: oldImage }, next)
  const fields = Object.keys(changes)
  if (fields.length === 0) return badge
  const { updated_at } = await tx.db
    .updateTable('badges')
    .set({
      ...Object.fromEntries(Object.entries(next).filter(([field]) => fields.includes(field))),
      updated_at: tx.now,
    })
    .where('id', '=', badge.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'badge changed',
    namespace: badge.namespace_id,
    target: { type: 'Badge', id: badge.id },
    details: { badge: name, fields, changes },
  })
  return { ...badge, ...next, updated_at }
}
