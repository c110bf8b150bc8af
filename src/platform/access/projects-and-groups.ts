import type { FastifyRequest } from 'fastify'
import type { GroupAbility, ProjectAbility } from './abilities.ts'
import type { Authorized, GroupContainer, ProjectContainer } from './authorize.ts'
import type { ContainerKind } from './container-sources.ts'
import { group, project, type Subject } from './route-access.ts'

/** Abilities that exist in both projects and groups. */
export type SharedAbility = ProjectAbility & GroupAbility

export type AuthorizedContainer = Authorized<ProjectContainer | GroupContainer, SharedAbility>

/** One of the two, for routes that both have. */
export interface ProjectOrGroup {
  readonly kind: ContainerKind
  /** The subject of such a route: an ability in the project or group that it names. */
  readonly subject: (ability: SharedAbility) => Subject
  /** The subject of a route that is open to everybody who may see the project or group. */
  readonly seen: Subject
  /** The project or group that a request names. */
  readonly open: (req: FastifyRequest) => AuthorizedContainer
}

/** Routes that projects and groups share are declared in a loop over these. */
export const projectsAndGroups: readonly ProjectOrGroup[] = [
  { kind: 'project', subject: project, seen: project('read_project'), open: (req) => req.project() },
  { kind: 'group', subject: group, seen: group('read_group'), open: (req) => req.group() },
]
