import { levels } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { badRequest } from '#platform/refusals.ts'
import { finishMove } from '#identity/namespaces/extension-points.ts'
import { lockForMove } from '#identity/namespaces/lock.ts'
import { moveNode } from '#identity/namespaces/tree.ts'
import { limitVisibility } from '#identity/namespaces/visibility.ts'
import type { Destination } from './destination.ts'
import { projectOfLockedNode } from './lock-project.ts'
import { assertFree } from './names.ts'

/**
 * Moves a project into another namespace; the old path redirects to the new one. Its visibility is lowered to what the
 * namespace allows. In a personal namespace, the owner becomes a direct owner of the project. Its issues keep their
 * labels and milestones: see {@link finishMove}.
 * @throws 400 when it is there already, or its name or path is taken there.
 */
export async function transferProject(tx: Tx, namespaceId: number, destination: Destination): Promise<void> {
  const { node, parent } = await lockForMove(tx, namespaceId, destination.id)
  const project = await projectOfLockedNode(tx, node)
  if (parent === null || parent.id === project.parent.id)
    throw badRequest('the project is in this namespace already')
  await assertFree(tx, parent, node)
  const { namespace_id } = project
  await moveNode(tx, node, { parent })
  await limitVisibility(tx, namespace_id, parent.visibility)
  if (destination.owner_id !== null) await makeOwner(tx, namespace_id, destination.owner_id)
  await finishMove(tx, namespace_id, project.parent.traversal_ids)
  record(tx, {
    name: 'project transferred',
    namespace: namespace_id,
    target: { type: 'Project', id: project.id },
    details: { from: node.full_path, to: `${parent.full_path}/${node.path}` },
  })
}

/** Makes a user a permanent owner, replacing any membership that they had. */
async function makeOwner(tx: Tx, namespaceId: number, userId: number): Promise<void> {
  const owner = { access_level: levels.owner, expires_at: null, updated_at: tx.now }
  const made = await tx.db
    .insertInto('members')
    .values({ namespace_id: namespaceId, user_id: userId, created_at: tx.now, ...owner })
    .onConflict((oc) =>
      oc
        .columns(['namespace_id', 'user_id'])
        .doUpdateSet(owner)
        .where((eb) =>
          eb.or([eb('members.access_level', '<', levels.owner), eb('members.expires_at', 'is not', null)]),
        ),
    )
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) return
  record(tx, {
    name: 'member added',
    namespace: namespaceId,
    target: { type: 'User', id: userId },
    details: { user_id: userId, access_level: levels.owner, expires_at: null },
  })
}
