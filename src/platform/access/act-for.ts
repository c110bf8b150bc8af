import type { Clock } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { NotAllowed, NotFound } from '#platform/refusals.ts'
import type { ProjectAbility } from './abilities.ts'
import { groupsClosedTo } from './address-rules.ts'
import { type AuthorizedProject, authorizeProject } from './authorize.ts'
import type { Viewer } from './viewer.ts'

// A job that acts for somebody who asked earlier applies the rights that they have now.

/**
 * A user as a viewer.
 * @param ip the address that they asked from; null where no address counts
 * @returns undefined for a user who is blocked by now
 */
export async function viewerOfUser(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  id: number,
  ip: string | null,
): Promise<Viewer | undefined> {
  const user = await db
    .selectFrom('users')
    .select(['admin', 'external'])
    .where('id', '=', id)
    .where('state', '=', 'active')
    .executeTakeFirst()
  return user && { id, ...user, today: dayOf(clock.now()), closed: await groupsClosedTo(db, ip) }
}

/** A project as a viewer may use it for an ability; undefined where they may not. */
export async function authorizeIfAllowed(
  db: Db | Tx['db'],
  viewer: Viewer,
  projectId: number,
  ability: ProjectAbility,
): Promise<AuthorizedProject | undefined> {
  try {
    return await authorizeProject(db, viewer, String(projectId), ability)
  } catch (error) {
    if (error instanceof NotFound || error instanceof NotAllowed) return undefined
    throw error
  }
}
