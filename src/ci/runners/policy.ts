import type { Viewer } from '#platform/access/viewer.ts'
import { forbidden } from '#platform/refusals.ts'
import type { FoundRunner } from './queries.ts'

/** Who may do what with one runner. Administrators may do everything. */

const noAccess = () => forbidden('No access granted')

/** Everybody sees runners for the instance; maintainers, those of their groups and projects. @throws 403 */
export function assertMayRead(runner: FoundRunner, viewer: Viewer): void {
  if (runner.runner_type !== 'instance_type' && !runner.isMaintained && !viewer.admin) throw noAccess()
}

/** Owners of the group, and maintainers of one of the projects. @throws 403 */
export function assertMayChange(runner: FoundRunner, viewer: Viewer): void {
  const may = runner.runner_type === 'group_type' ? runner.isOwned : runner.isMaintained
  if (!may && !viewer.admin) throw noAccess()
}

/** Owners of the group, and maintainers of the project that owns it while no other has it. @throws 403 */
export function assertMayRemove(runner: FoundRunner, viewer: Viewer): void {
  if (viewer.admin) return
  if (runner.isShared) throw forbidden('Runner associated with more than one project')
  if (!runner.isOwned) throw noAccess()
}

/** Maintainers of the project that owns it; administrators alone while it is locked. @throws 403 */
export function assertMayEnable(runner: FoundRunner, viewer: Viewer): void {
  if (runner.runner_type === 'group_type') throw forbidden('Runner is a group runner')
  if (runner.runner_type === 'instance_type') throw forbidden('Runner is an instance runner')
  if (viewer.admin) return
  if (runner.locked) throw forbidden('Runner is locked')
  if (!runner.isOwned) throw noAccess()
}
