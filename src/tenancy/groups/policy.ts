import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Json } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { administratorSettings, type GroupSettings, settingsOf } from './group-settings.ts'

/** Checks the user's right to make top-level groups. @throws 403 */
export async function assertTopLevelGroups(db: Db | Tx['db'], viewer: Viewer): Promise<void> {
  if (viewer.admin) return
  const user = await db
    .selectFrom('users')
    .select('can_create_group')
    .where('id', '=', viewer.id)
    .executeTakeFirst()
  if (!user?.can_create_group) throw forbidden()
}

/** Checks that the caller has the role from which this group lets members make subgroups. @throws 403 */
export function assertSubgroups({ container, accessContext }: AuthorizedGroup): void {
  const { subgroup_creation_level } = settingsOf(container.settings)
  if (!accessContext.admin && accessContext.level < levels[subgroup_creation_level]) throw forbidden()
}

/**
 * Whether the caller has the role from which this group lets members make projects. The ability `create_project` is
 * checked separately.
 */
export function mayCreateProjects(accessContext: AccessContext, settings: Json): boolean {
  const { project_creation_level: level } = settingsOf(settings)
  if (level === 'noone') return false
  return accessContext.admin || (level !== 'administrator' && accessContext.level >= levels[level])
}

/** @throws 403 when a caller who is not an administrator changes a setting that only administrators may change. */
export function assertSettings(viewer: Viewer, before: Json, changes: Partial<GroupSettings>): void {
  const settings = settingsOf(before)
  const changed = administratorSettings.some(
    (name) => changes[name] !== undefined && changes[name] !== settings[name],
  )
  if (changed && !viewer.admin) throw forbidden()
}
