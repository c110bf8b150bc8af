import type { FastifyRequest } from 'fastify'
import { group, project, type Subject } from '#platform/access/route-access.ts'
import type { GroupAbility, ProjectAbility } from '#platform/access/abilities.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { AccessContext } from '#platform/access/access-context.ts'

/** Who asks, and which project or group they were authorized for: a request. */
export type Caller = Pick<FastifyRequest, 'viewer' | 'site' | 'project' | 'group'>

/** What somebody may do with noteables of a kind, with their notes and with awards. */
export type NoteableRight =
  | 'read'
  | 'createNote'
  | 'award'
  /** Read the internal notes of others. */
  | 'readInternalNotes'
  /** Change and delete the notes of others. */
  | 'adminNotes'
  /** Say when a note was written, as imports do. */
  | 'setCreatedAt'

/** The project, group or person that a noteable belongs to, as far as a caller was authorized there. */
export interface AuthorizedNoteableContainer {
  /** The id of the project or group, by which {@link NoteableKind.rows} looks. */
  readonly id: number
  /** Of a project, its id. */
  readonly projectId: number | null
  readonly namespace: TreePosition & { readonly full_path: string }
  /** The caller's role there. */
  readonly accessContext: Pick<AccessContext, 'admin' | 'level'>
  readonly may: (right: NoteableRight) => boolean
}

/**
 * Where noteables of a kind are. Those of persons (snippets that belong to nobody else) will bring a third one, whose
 * routes are about the user.
 */
export interface NoteableContainer {
  /** How the paths begin. */
  readonly path: string
  /** What routes that take a right declare. */
  subject(right: NoteableRight): Subject
  authorized(caller: Caller): AuthorizedNoteableContainer
}

/** The ability that gives each right. */
type Abilities<Ability> = Readonly<Record<NoteableRight, Ability>>

export const inProjects = (abilities: Abilities<ProjectAbility>): NoteableContainer => ({
  path: '/projects/:id',
  subject: (right) => project(abilities[right]),
  authorized(caller) {
    const { container, accessContext, can } = caller.project()
    return {
      id: container.id,
      projectId: container.id,
      namespace: container,
      accessContext,
      may: (right) => can(abilities[right]),
    }
  },
})

export const inGroups = (abilities: Abilities<GroupAbility>): NoteableContainer => ({
  path: '/groups/:id',
  subject: (right) => group(abilities[right]),
  authorized(caller) {
    const { container, accessContext, can } = caller.group()
    return {
      id: container.id,
      projectId: null,
      namespace: container,
      accessContext,
      may: (right) => can(abilities[right]),
    }
  },
})
