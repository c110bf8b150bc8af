import type { GroupAbility } from '#platform/access/abilities.ts'
import { type AuthorizedGroup, authorizeGroup, type ProjectContainer } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/http/errors.ts'

/**
 * Opens the group that a project is in, for what makes something of the project the group's.
 * @throws 400 when the project is in nobody's group, 403 when the caller may not do that to the group.
 */
export async function openGroupOf(
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
