import type { FastifyRequest } from 'fastify'
import type { GroupAbility, ProjectAbility } from './abilities.ts'
import type { Authorized, GroupContainer, ProjectContainer } from './authorize.ts'
import type { ContainerKind } from './containers.ts'
import { group, project, type Subject } from './route-access.ts'

/** What can be allowed or refused in projects and in groups alike. */
export type SharedAbility = ProjectAbility & GroupAbility

export type AuthorizedContainer = Authorized<ProjectContainer | GroupContainer, SharedAbility>

/** One of the two, for routes that are the same at both. */
export interface ProjectOrGroup {
  readonly kind: ContainerKind
  /** What such a route is about: an ability in the project or group that it names. */
  readonly subject: (ability: SharedAbility) => Subject
  /** That of a route for everybody who may see the project or group at all. */
  readonly seen: Subject
  /** The project or group that a request names. */
  readonly open: (req: FastifyRequest) => AuthorizedContainer
}

/** Routes that are the same at projects and at groups are declared in a loop over these. */
export const projectsAndGroups: readonly ProjectOrGroup[] = [
  { kind: 'project', subject: project, seen: project('read_project'), open: (req) => req.project() },
  { kind: 'group', subject: group, seen: group('read_group'), open: (req) => req.group() },
]
