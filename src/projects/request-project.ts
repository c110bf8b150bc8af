import { sql } from 'kysely'
import type { Viewer } from '#access/viewer.ts'
import type { Tx } from '#db/transaction.ts'
import { forbidden } from '#http/errors.ts'
import type { Settings } from '#settings/definitions.ts'
import { createProject } from './create-project.ts'
import { type Destination, openDestination, ownDestination } from './destination.ts'
import { demandNothingLater } from './later.ts'
import { pathFromName } from './names.ts'
import type { NewProjectWishes } from './parameters.ts'
import { storable } from './settings.ts'
import { changedSettings } from './twins.ts'
import { demandVisibility, standardVisibility } from './visibility.ts'

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
  wishes: NewProjectWishes,
): Promise<{ id: number }> {
  demandNothingLater(wishes)
  const { namespace_id } = wishes
  const destination =
    namespace_id === undefined
      ? await ownDestination(tx, viewer.id)
      : await openDestination(tx, viewer, String(namespace_id))
  await demandRoom(tx, destination)
  const { name = wishes.path ?? '', path = pathFromName(name), description = null } = wishes
  const within = destination.visibility
  const visibility = wishes.visibility ?? standardVisibility(policy, viewer, within)
  demandVisibility(visibility, { policy, viewer, within })
  return createProject(tx, {
    name,
    path,
    description,
    visibility,
    parentId: destination.id,
    creatorId: viewer.id,
    settings: storable(changedSettings({}, wishes)),
  })
}

/** Personal projects count against their owner's limit; the owner's row is locked, so that two do not both fit. */
async function demandRoom(tx: Tx, { id, owner_id }: Destination): Promise<void> {
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
