import { sql } from 'kysely'
import type { MemberLevel } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { conflict, invalid, known, notFound, refusal } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'

export interface NewShare {
  /** The namespace of the group or project that is being shared. */
  readonly namespaceId: number
  /** The invited group. The route must check with `authorizeGroup` that the caller may read it. */
  readonly groupId: number
  /** The highest level that its members get. */
  readonly accessLevel: MemberLevel
  /** The day on which the share ends. */
  readonly expiresAt?: string | null
}

/**
 * Shares a group or project with the members of another group.
 * @throws 409 when it is shared with that group already. 400 when a group above forbids it, when the two are the same
 * or one is above the other, or when the day is in the past. 404 when one of them is gone.
 */
export async function shareWithGroup(
  tx: Tx,
  { namespaceId, groupId, accessLevel, expiresAt = null }: NewShare,
): Promise<void> {
  const today = dayOf(tx.now)
  if (expiresAt !== null && expiresAt <= today)
    throw invalid({ expires_at: ['cannot be a date in the past'] })
  const node = await findSharing(tx, namespaceId)
  await assertShareable(tx, node, groupId)
  await tx.db
    .deleteFrom('shares')
    .where('namespace_id', '=', namespaceId)
    .where('group_id', '=', groupId)
    .where('expires_at', '<=', today)
    .execute()
  const made = await tx.db
    .insertInto('shares')
    .values({
      namespace_id: namespaceId,
      group_id: groupId,
      access_level: accessLevel,
      expires_at: expiresAt,
      created_at: tx.now,
    })
    .onConflict((oc) => oc.columns(['namespace_id', 'group_id']).doNothing())
    .returning('group_id')
    .executeTakeFirst()
  if (made === undefined) throw conflict(known(node.project_id === null ? 'group-shared' : 'project-shared'))
  record(tx, {
    name: node.project_id === null ? 'group shared' : 'project shared',
    namespace: namespaceId,
    target: targetOf(node),
    details: { group_id: groupId, access_level: accessLevel },
  })
}

/**
 * Ends the invitation of a group.
 * @throws 404 when there is none.
 */
export async function unshare(
  tx: Tx,
  { namespaceId, groupId }: Pick<NewShare, 'namespaceId' | 'groupId'>,
): Promise<void> {
  const node = await findSharing(tx, namespaceId)
  const { numDeletedRows } = await tx.db
    .deleteFrom('shares')
    .where('namespace_id', '=', namespaceId)
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw notFound()
  record(tx, {
    name: node.project_id === null ? 'group unshared' : 'project unshared',
    namespace: namespaceId,
    target: targetOf(node),
    details: { group_id: groupId },
  })
}

type Node = Awaited<ReturnType<typeof findSharing>>

async function findSharing(tx: Tx, namespaceId: number) {
  return tx.db
    .selectFrom('namespaces as n')
    .leftJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['n.id', 'n.traversal_ids', 'p.id as project_id'])
    .select(locked('share_with_group_lock').as('projects_locked'))
    .select(locked('prevent_sharing_groups_outside_hierarchy').as('groups_locked'))
    .where('n.id', '=', namespaceId)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirstOrThrow(() => notFound())
}

/** Whether the group itself or one above it has a setting that forbids sharing. */
const locked = (setting: string) =>
  sql<boolean>`exists (select 1 from namespaces a
    where a.id = any(n.traversal_ids) and a.settings @> jsonb_build_object(${setting}::text, true))`

async function assertShareable(tx: Tx, node: Node, groupId: number): Promise<void> {
  if (node.traversal_ids.includes(groupId)) {
    throw invalid({ group_id: ['has everything here already: it is this group or one above'] })
  }
  if (node.project_id !== null && node.projects_locked) {
    throw refusal('The project sharing with group is disabled')
  }
  const group = await tx.db
    .selectFrom('namespaces')
    .select('traversal_ids')
    .where('id', '=', groupId)
    .where('kind', '=', 'group')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow(() => notFound('Group'))
  const outside = group.traversal_ids[0] !== node.traversal_ids[0]
  if (node.project_id === null && node.groups_locked && outside) {
    throw refusal('Groups here are shared only with groups of the same hierarchy')
  }
}

function targetOf({ id, project_id }: Node) {
  return project_id === null ? { type: 'Group', id } : { type: 'Project', id: project_id }
}
