import type { GroupDoor } from '#platform/access/doors.ts'
import { levels } from '#platform/access/roles.ts'
import type { Standing } from '#platform/access/standing.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Json } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/http/errors.ts'
import { administratorSettings, type GroupSettings, settingsOf } from './settings.ts'

/** Making top-level groups is a right of a user. @throws 403 */
export async function demandTopLevelGroups(db: Db | Tx['db'], viewer: Viewer): Promise<void> {
  if (viewer.admin) return
  const user = await db
    .selectFrom('users')
    .select('can_create_group')
    .where('id', '=', viewer.id)
    .executeTakeFirst()
  if (!user?.can_create_group) throw forbidden()
}

/** A group says from which role on its members make subgroups. @throws 403 */
export function demandSubgroups({ place, standing }: GroupDoor): void {
  const { subgroup_creation_level } = settingsOf(place.settings)
  if (!standing.admin && standing.level < levels[subgroup_creation_level]) throw forbidden()
}

/** And from which role on they make projects; beside the ability `create_project`. */
export function mayCreateProjects(standing: Standing, settings: Json): boolean {
  const { project_creation_level: level } = settingsOf(settings)
  if (level === 'noone') return false
  return standing.admin || (level !== 'administrator' && standing.level >= levels[level])
}

/** @throws 403 when someone else than an administrator changes what administrators ration. */
export function demandSettings(viewer: Viewer, before: Json, changes: Partial<GroupSettings>): void {
  const settings = settingsOf(before)
  const changed = administratorSettings.some(
    (name) => changes[name] !== undefined && changes[name] !== settings[name],
  )
  if (changed && !viewer.admin) throw forbidden()
}
