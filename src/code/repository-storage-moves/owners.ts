import type { RepositoryKind } from '#platform/db/schema.ts'
import type { RepositoryOwner } from '#code/repositories/rows.ts'

/** What moves as a whole. */
export type OwnerKind = 'project' | 'group' | 'snippet'

export const ownerKinds = ['project', 'group', 'snippet'] as const satisfies readonly OwnerKind[]

/** A project, group or snippet with its repositories. */
export interface MoveOwner {
  readonly kind: OwnerKind
  readonly id: number
  /** In whose list of audit events the move is. */
  readonly namespace_id: number
  readonly name: string
}

/** The column of a move and of a repository that names its owner. */
export const columnOf = {
  project: 'project_id',
  group: 'group_id',
  snippet: 'snippet_id',
} as const satisfies Record<OwnerKind, string>

/** The kind of repository whose storage is shown as that of the owner, and that is made if there is none yet. */
const mainKinds = {
  project: 'project',
  group: 'group_wiki',
  snippet: 'snippet',
} as const satisfies Record<OwnerKind, RepositoryKind>

export const mainKindOf = (kind: OwnerKind): RepositoryKind => mainKinds[kind]

export function mainRepositoryOf({ kind, id }: Pick<MoveOwner, 'kind' | 'id'>): RepositoryOwner {
  if (kind === 'project') return { kind: 'project', project: id }
  return kind === 'group' ? { kind: 'group_wiki', group: id } : { kind: 'snippet', snippet: id }
}

/** The owner of a move, by the columns of its row. */
export function ownerOfRow(row: {
  readonly project_id: number | null
  readonly group_id: number | null
  readonly snippet_id: number | null
}): Pick<MoveOwner, 'kind' | 'id'> {
  if (row.project_id !== null) return { kind: 'project', id: row.project_id }
  if (row.group_id !== null) return { kind: 'group', id: row.group_id }
  if (row.snippet_id !== null) return { kind: 'snippet', id: row.snippet_id }
  throw new Error('A storage move belongs to nothing')
}
