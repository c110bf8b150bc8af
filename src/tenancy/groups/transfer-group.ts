import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import { finishMove } from '#identity/namespaces/extension-points.ts'
import { assertPath } from '#identity/namespaces/paths.ts'
import { lockForMove } from '#identity/namespaces/lock.ts'
import { moveNode } from '#identity/namespaces/tree.ts'
import { limitVisibility } from '#identity/namespaces/visibility.ts'

const failed = (because: string) => refusal(`Transfer failed: ${because}`)

/**
 * Moves a group with everything below it into another group, or to the top level when `parentId` is null. Whatever
 * would be more visible than the new parent gets the parent's visibility. Issues keep their labels and milestones: see
 * {@link finishMove}.
 * @throws 400 when it is there already, would be inside itself, or its path is taken there; 404 when one is gone.
 */
export async function transferGroup(tx: Tx, groupId: number, parentId: number | null): Promise<void> {
  const { node: before, parent } = await lockForMove(tx, groupId, parentId)
  if (parent?.traversal_ids.includes(groupId)) throw failed('A group cannot be moved into itself.')
  if (before.parent?.id === parent?.id) {
    throw failed(parent ? 'The group is in that group already.' : 'The group is at the top level already.')
  }
  if (parent === null) assertPath(before.path, 'group', true)
  await assertFree(tx, parent ? `${parent.full_path}/${before.path}` : before.path)
  await moveNode(tx, before, { parent })
  if (parent) await limitVisibility(tx, groupId, parent.visibility)
  await finishMove(tx, groupId, before.parent?.traversal_ids ?? [])
  record(tx, {
    name: 'group transferred',
    namespace: groupId,
    target: { type: 'Group', id: groupId },
    details: {
      from: before.full_path,
      to: parent ? `${parent.full_path}/${before.path}` : before.path,
    },
  })
}

async function assertFree(tx: Tx, fullPath: string): Promise<void> {
  const taken = await tx.db
    .selectFrom('namespaces')
    .select('id')
    .where((eb) => eb(eb.fn('lower', ['full_path']), '=', fullPath.toLowerCase()))
    .executeTakeFirst()
  if (taken !== undefined) throw failed('There is a group or project with the same path already.')
}
