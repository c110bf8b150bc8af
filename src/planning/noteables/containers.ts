import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ContainerSubject, group, project } from '#platform/access/route-access.ts'
import type { GroupAbility, ProjectAbility } from '#platform/access/abilities.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { AccessContext } from '#platform/access/access-context.ts'

/** A request: the caller, and the project or group for which they were authorized. */
export interface Caller extends Pick<FastifyRequest, 'viewer' | 'site' | 'project' | 'group'> {
  readonly server: Pick<FastifyInstance, 'db' | 'services'>
}

/** A caller who writes: by a request of the API, or with a push. */
export interface WritingCaller extends Caller, Pick<FastifyRequest, 'user' | 'write'> {}

/** What somebody may do in a project or group. */
export interface Rights {
  project(): { can(ability: ProjectAbility): boolean }
  group(): { can(ability: GroupAbility): boolean }
}

/** The rights on noteables of a kind, their notes and awards. */
export type NoteableRight =
  | 'read'
  | 'createNote'
  | 'award'
  /** Read other people's internal notes. */
  | 'readInternalNotes'
  /** Change and delete other people's notes. */
  | 'adminNotes'
  /** Set when a note was written, as imports do. */
  | 'setCreatedAt'

/** The project, group or user that a noteable belongs to, with the caller's rights there. */
export interface AuthorizedNoteableContainer {
  /** The id of the project or group, which {@link NoteableKind.rows} takes. */
  readonly id: number
  /** The project's id; null for other containers. */
  readonly projectId: number | null
  readonly namespace: TreePosition & { readonly full_path: string }
  /** The caller's role there. */
  readonly accessContext: Pick<AccessContext, 'admin' | 'level'>
  readonly may: (right: NoteableRight) => boolean
  /** The row of the noteable that the path names; find-noteable.ts reads it. */
  readonly nested: unknown
}

/**
 * The containers of a kind's noteables. Noteables of users (personal snippets) will add a third one, whose routes are
 * about the user.
 */
export interface NoteableContainer {
  readonly kind: 'project' | 'group'
  /** How the paths begin. */
  readonly path: string
  /** What routes that need a right declare. */
  subject(right: NoteableRight): ContainerSubject
  authorized(caller: Caller): AuthorizedNoteableContainer
}

/** The ability that gives each right. */
type Abilities<Ability> = Readonly<Record<NoteableRight, Ability>>

export const inProjects = (abilities: Abilities<ProjectAbility>): NoteableContainer => ({
  kind: 'project',
  path: '/projects/:id',
  subject: (right) => project(abilities[right]),
  authorized(caller) {
    const { container, accessContext, can, nested } = caller.project()
    return {
      id: container.id,
      projectId: container.id,
      namespace: container,
      accessContext,
      may: (right) => can(abilities[right]),
      nested,
    }
  },
})

export const inGroups = (abilities: Abilities<GroupAbility>): NoteableContainer => ({
  kind: 'group',
  path: '/groups/:id',
  subject: (right) => group(abilities[right]),
  authorized(caller) {
    const { container, accessContext, can, nested } = caller.group()
    return {
      id: container.id,
      projectId: null,
      namespace: container,
      accessContext,
      may: (right) => can(abilities[right]),
      nested,
    }
  },
})
