import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { WithStoredAvatar } from '#identity/avatars/store-avatar.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { createProject } from './create-project.ts'
import { type Destination, openDestination, ownDestination } from './destination.ts'
import { pathFromName } from './names.ts'
import type { NewProjectWishes } from './parameters.ts'
import { changedSettings } from './aliases.ts'
import { standardVisibility } from './visibility.ts'

export interface Requester {
  /** The caller, or the user for whom an administrator makes the project. */
  readonly viewer: Viewer & { readonly id: number }
  readonly policy: Settings
}

/**
 * Makes a project on request. It checks that the user may use the namespace, is within their limit, and may set this
 * visibility there.
 *
 * @throws 404 `Namespace Not Found`, 403 where the user may not make projects or has too many, 400 for impossible
 * values.
 */
export async function requestProject(
  tx: Tx,
  { viewer, policy }: Requester,
  wishes: WithStoredAvatar<NewProjectWishes>,
): Promise<{ id: number; full_path: string }> {
  const { namespace_id } = wishes
  const destination =
    namespace_id === undefined
      ? await ownDestination(tx, viewer.id)
      : await openDestination(tx, viewer, String(namespace_id))
  await assertRoom(tx, destination)
  const { tag_list, topics = tag_list } = wishes
  const { name = wishes.path ?? '', path = pathFromName(name), description = null } = wishes
  const { default_project_visibility: standard, restricted_visibility_levels: restricted } = policy
  const rules = { admin: viewer.admin, restricted }
  const visibility = wishes.visibility ?? standardVisibility(standard, destination.visibility, rules)
  assertAllowed(visibility, rules)
  return createProject(tx, {
    name,
    path,
    description,
    visibility,
    parentId: destination.id,
    creatorId: viewer.id,
    settings: changedSettings({}, wishes),
    avatar: wishes.avatar ?? null,
    ...(topics && { topics }),
    asked: wishes,
  })
}

/** Finds the user for whom an administrator makes a project; the user's own rights apply. @throws 404 */
export async function findRequester(tx: Tx, userId: number, today: string): Promise<Requester['viewer']> {
  const user = await tx.db
    .selectFrom('users')
    .select(['id', 'admin', 'external'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow(() => notFound('User'))
  // No address rules apply, because the administrator is the one who asks.
  return { ...user, today, closed: [] }
}

/**
 * Checks the limit of personal projects. It locks the owner's row, so that two simultaneous requests cannot both fit.
 */
async function assertRoom(tx: Tx, { id, owner_id }: Destination): Promise<void> {
  if (owner_id === null) return
  const { projects_limit } = await tx.db
    .selectFrom('users')
    .select('projects_limit')
    .where('id', '=', owner_id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const { used } = await tx.db
    .selectFrom('namespaces')
    .select(sql<number>`count(*)`.as('used'))
    .where('parent_id', '=', id)
    .where('kind', '=', 'project')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (used >= projects_limit) throw forbidden(`Your project limit is ${projects_limit} projects`)
}
