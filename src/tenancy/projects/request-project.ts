import { refuseLater } from '#platform/http/later.ts'
import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { WithStoredAvatar } from '#identity/avatars/store-avatar.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/http/errors.ts'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { createProject } from './create-project.ts'
import { type Destination, openDestination, ownDestination } from './destination.ts'
import { pathFromName } from './names.ts'
import { later, type NewProjectWishes } from './parameters.ts'
import { storable } from './settings.ts'
import { changedSettings } from './aliases.ts'
import { standardVisibility } from './visibility.ts'

export interface Requester {
  /** As whom it is asked for: the caller, or whom an administrator makes it for. */
  readonly viewer: Viewer & { readonly id: number }
  readonly policy: Settings
}

/**
 * Makes a project as somebody asked for it: in the namespace they may use, within their limit, and no more visible
 * than is allowed there.
 *
 * @throws 404 `Namespace Not Found`, 403 where one may not make projects or has too many, 400 for values that
 * cannot be.
 */
export async function requestProject(
  tx: Tx,
  { viewer, policy }: Requester,
  wishes: WithStoredAvatar<NewProjectWishes>,
): Promise<{ id: number }> {
  refuseLater(wishes, later)
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
    settings: storable(changedSettings({}, wishes)),
    avatar: wishes.avatar ?? null,
    ...(topics && { topics }),
  })
}

/** Somebody for whom an administrator makes a project, with the rights that they have themselves. @throws 404 */
export async function findRequester(tx: Tx, userId: number, today: string): Promise<Requester['viewer']> {
  const user = await tx.db
    .selectFrom('users')
    .select(['id', 'admin', 'external'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user === undefined) throw notFound('User')
  // It is the administrator who asks, from wherever that is.
  return { ...user, today, closed: [] }
}

/** Personal projects count against their owner's limit; the owner's row is locked, so that two do not both fit. */
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
