import type { Viewer } from '#platform/access/viewer.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'

/** Where public visibility is restricted, anonymous callers cannot see any users. */
const isClosed = ({ restricted_visibility_levels }: Settings) =>
  restricted_visibility_levels.includes('public')

/**
 * Checks who may list users. The specification offers the list to everybody ("Both" in its table of keyset resources).
 * Real servers refuse anonymous callers unless they ask for one username, so that nobody collects the accounts of an
 * instance. Both hold here: anonymous callers may use every order and keyset page, within one username.
 * @throws 403
 */
export function assertUserList(viewer: Viewer, filter: { readonly username?: string }, settings: Settings) {
  if (viewer.id !== null) return
  if (filter.username !== undefined && filter.username !== '' && !isClosed(settings)) return
  throw forbidden('Not authorized to access /api/v4/users')
}

/**
 * Checks who may see what belongs to one user, such as avatars and public projects.
 * @throws 404 `User Not Found` for anonymous callers where public visibility is restricted.
 */
export function assertUserPage(viewer: Viewer, settings: Settings): void {
  if (!seesUsers(viewer, settings)) throw notFound('User')
}

/** Whether the viewer may know that there is a user whom they name. */
export const seesUsers = (viewer: Viewer, settings: Settings): boolean =>
  viewer.id !== null || !isClosed(settings)

/** @throws 403 unless the viewer is an administrator or the user. */
export function assertSelfOrAdministrator(viewer: Viewer, userId: number): void {
  if (!viewer.admin && viewer.id !== userId) throw forbidden()
}
