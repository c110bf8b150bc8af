import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Json } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/http/errors.ts'
import { administratorSettings, type GroupSettings, settingsOf } from './settings.ts'

/** Making top-level groups is a right of a user. @throws 403 */
export async function assertTopLevelGroups(db: Db | Tx['db'], viewer: Viewer): Promise<void> {
  if (viewer.admin) return
  const user = await db
    .selectFrom('users')
    .select('can_create_group')
    .where('id', '=', viewer.id)
    .executeTakeFirst()
  if (!user?.can_create_group) throw forbidden()
}

/** A group says from which role on its members make subgroups. @throws 403 */
export function assertSubgroups({ container, accessContext }: AuthorizedGroup): void {
  const { subgroup_creation_level } = settingsOf(container.settings)
  if (!accessContext.admin && accessContext.level < levels[subgroup_creation_level]) throw forbidden()
}

/** And from which role on they make projects; beside the ability `create_project`. */
export function mayCreateProjects(accessContext: AccessContext, settings: Json): boolean {
  const { project_creation_level: level } = settingsOf(settings)
  if (level === 'noone') return false
  return accessContext.admin || (level !== 'administrator' && accessContext.level >= levels[level])
}

/** @throws 403 when someone else than an administrator changes what administrators ration. */
export function assertSettings(viewer: Viewer, before: Json, changes: Partial<GroupSettings>): void {
  const settings = settingsOf(before)
  const changed = administratorSettings.some(
    (name) => changes[name] !== undefined && changes[name] !== settings[name],
  )
  if (changed && !viewer.admin) throw forbidden()
}
