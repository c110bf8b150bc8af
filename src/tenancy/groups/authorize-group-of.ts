import type { GroupAbility } from '#platform/access/abilities.ts'
import { type AuthorizedGroup, authorizeGroup, type ProjectContainer } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'

/**
 * Authorizes the group that holds a project, for promoting something of the project to the group.
 * @throws 400 when the project is in a user namespace, 403 when the caller may not do that in the group.
 */
export async function authorizeGroupOf(
  tx: Tx,
  viewer: Viewer,
  { parent_id }: Pick<ProjectContainer, 'parent_id'>,
  ability: GroupAbility,
): Promise<AuthorizedGroup> {
  const { kind } = await tx.db
    .selectFrom('namespaces')
    .select('kind')
    .where('id', '=', parent_id)
    .executeTakeFirstOrThrow()
  if (kind !== 'group') throw badRequest('The project is not in a group')
  return authorizeGroup(tx.db, viewer, String(parent_id), ability)
}
