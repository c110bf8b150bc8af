import type { AccessContext } from '#platform/access/access-context.ts'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import { projectFeatureLevels } from '#platform/access/project-features.ts'
import type { Viewer } from '#platform/access/viewer.ts'

/** What a credential that belongs to no person may do in a project: as much as somebody with that role. */
export const contextOfMachine = (
  { visibility, settings, archived, traversal_ids }: ProjectContainer,
  { closed }: Pick<Viewer, 'closed'>,
  level: AccessContext['level'],
): AccessContext => ({
  level,
  visibility,
  signedIn: true,
  external: false,
  admin: false,
  archived,
  readsBelow: false,
  closed: traversal_ids.some((id) => closed.includes(id)),
  features: projectFeatureLevels(settings),
})
