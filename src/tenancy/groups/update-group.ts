import { defined } from '#platform/defined.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { announceAddressRules } from '#platform/access/address-rules.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { assertName, assertPath } from '#identity/namespaces/paths.ts'
import type { LockedNode } from '#identity/namespaces/lock.ts'
import { moveNode } from '#identity/namespaces/tree.ts'
import { changeVisibility } from '#identity/namespaces/visibility.ts'
import { type GroupSettings, settingsOf, settingsToStore } from './group-settings.ts'

export interface GroupEdit {
  readonly name?: string | undefined
  readonly path?: string | undefined
  readonly description?: string | null | undefined
  readonly visibility?: Visibility | undefined
  /** The key of the avatar. */
  readonly avatar?: string | null | undefined
  readonly settings?: Partial<GroupSettings>
}

/**
 * Changes the given attributes and leaves the rest. A new path applies to everything below as well, and the old paths
 * redirect.
 * @param before the group, locked by `lockNode`.
 * @throws 400 for a path that is taken or impossible, and for a visibility that conflicts with the parent or the
 * content.
 */
export async function updateGroup(tx: Tx, before: LockedNode, edit: GroupEdit): Promise<void> {
  const { id } = before
  const { name = before.name, path = before.path, visibility = before.visibility } = edit
  if (name !== before.name) assertName(name)
  if (path !== before.path) assertPath(path, 'group', before.parent === null)
  if (name !== before.name || path !== before.path) await moveNode(tx, before, { name, path })
  if (visibility !== before.visibility) await changeVisibility(tx, before, visibility)
  await storeRest(tx, before, edit)
  const { settings = {}, ...attributes } = edit
  const given = Object.entries({ ...attributes, ...settings }).filter(([, value]) => value !== undefined)
  record(tx, {
    name: 'group changed',
    namespace: id,
    target: { type: 'Group', id },
    details: {
      fields: given.map(([field]) => field),
      changes: changesBetween(
        { name: before.name, visibility: before.visibility, ...settingsOf(before.settings) },
        { name, visibility, ...settings },
      ),
    },
  })
  if (path === before.path) return
  const to = before.parent ? `${before.parent.full_path}/${path}` : path
  record(tx, {
    name: 'group renamed',
    namespace: id,
    target: { type: 'Group', id },
    details: { from: before.full_path, to },
  })
}

async function storeRest(
  tx: Tx,
  { id, settings: stored }: LockedNode,
  { description, avatar, settings }: GroupEdit,
): Promise<void> {
  await tx.db
    .updateTable('namespaces')
    .set(
      defined({
        updated_at: tx.now,
        ...(settings === undefined ? {} : { settings: settingsToStore(stored, settings) }),
        description,
        avatar,
      }),
    )
    .where('id', '=', id)
    .execute()
  if (settings?.ip_restriction_ranges !== undefined) await announceAddressRules(tx)
}
