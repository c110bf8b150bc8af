import { levels } from '#access/roles.ts'
import type { Json, Visibility } from '#db/schema.ts'
import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { addMember } from '#members/add-member.ts'
import { demandPath } from '#namespaces/paths.ts'
import { lockParent, plant } from '#namespaces/tree.ts'

export interface NewGroup {
  readonly name: string
  readonly path: string
  readonly visibility: Visibility
  readonly parentId: number | null
  readonly description?: string | null
  readonly settings?: Json
}

/**
 * Makes a group, or below another a subgroup; its maker is a direct owner.
 * @throws 400 for a path that is taken or cannot be one, 404 when the parent is gone.
 */
export async function createGroup(tx: Tx, group: NewGroup): Promise<{ id: number; full_path: string }> {
  demandPath(group.path, 'group', group.parentId === null)
  const parent = group.parentId === null ? null : await lockParent(tx, group.parentId)
  const created = await plant(tx, parent, { kind: 'group', ...group })
  if (tx.author !== null) {
    await addMember(tx, { namespaceId: created.id, userId: tx.author.id, accessLevel: levels.owner })
  }
  await record(tx, {
    name: 'group created',
    namespace: created.id,
    target: { type: 'Group', id: created.id },
    details: { path: created.full_path },
  })
  return created
}
