import { type Static, Type } from 'typebox'
import { presentProjectIdentity, projectIdentity } from '#identity/namespaces/project-identity.ts'
import { presentSnippet, Snippet, type SnippetAudience, type SnippetRow } from '#code/snippets/entity.ts'
import type { RepositoryStorageMoveState } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import { only } from '#platform/only.ts'
import { entity, integer, moment, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

/** The states of a move, in the order in which it takes them. */
export const moveStates = [
  'initial',
  'scheduled',
  'started',
  'replicated',
  'failed',
  'finished',
  'cleanup failed',
] as const satisfies readonly RepositoryStorageMoveState[]

const common = {
  id: integer(),
  created_at: moment(),
  state: oneOf(moveStates, { description: 'The last state is `finished`, `failed` or `cleanup failed`.' }),
  source_storage_name: Type.String(),
  destination_storage_name: Type.String(),
}

export const GroupStorageMove = entity('GroupRepositoryStorageMove', {
  ...common,
  group: Type.Object({ id: integer(), web_url: Type.String(), name: Type.String() }),
})

export const ProjectStorageMove = entity('ProjectRepositoryStorageMove', {
  ...common,
  project: Type.Object(projectIdentity),
})

const { id, title, description, visibility, created_at, updated_at, project_id, ...urls } = Snippet.properties
const { web_url, raw_url, ssh_url_to_repo, http_url_to_repo } = urls

const snippetFields = {
  id,
  title,
  description,
  visibility,
  updated_at,
  created_at,
  project_id,
  web_url,
  raw_url,
  ssh_url_to_repo,
  http_url_to_repo,
}

export const SnippetStorageMove = entity('SnippetRepositoryStorageMove', {
  ...common,
  snippet: Type.Object(snippetFields),
})

/** What all moves have. */
export interface MoveFields {
  readonly id: number
  readonly created_at: string
  readonly state: RepositoryStorageMoveState
  readonly source_storage_name: string
  readonly destination_storage_name: string
}

export interface ProjectMoveRow extends MoveFields {
  readonly project_id: number
  readonly description: string | null
  readonly name: string
  readonly full_name: string
  readonly path: string
  readonly full_path: string
  readonly project_created_at: string
}

export interface GroupMoveRow extends MoveFields {
  readonly group_id: number
  readonly name: string
  readonly full_path: string
}

export interface SnippetMoveRow extends MoveFields {
  readonly snippet: SnippetRow
}

const presentCommon = (row: MoveFields) => ({
  id: row.id,
  created_at: iso(row.created_at),
  state: row.state,
  source_storage_name: row.source_storage_name,
  destination_storage_name: row.destination_storage_name,
})

export function presentProjectMove(row: ProjectMoveRow): Static<typeof ProjectStorageMove> {
  const { project_id, project_created_at, ...names } = row
  const project = presentProjectIdentity({ ...names, id: project_id, created_at: project_created_at })
  return { ...presentCommon(row), project }
}

/** Where the web pages live, and where git is over SSH. */
export type Sites = Pick<SnippetAudience, 'site' | 'sshSite'>

export function presentGroupMove(row: GroupMoveRow, { site }: Sites): Static<typeof GroupStorageMove> {
  const { group_id, name, full_path } = row
  return { ...presentCommon(row), group: { id: group_id, web_url: flat`${site}/groups/${full_path}`, name } }
}

export function presentSnippetMove(
  row: SnippetMoveRow,
  { site, sshSite }: Sites,
): Static<typeof SnippetStorageMove> {
  const snippet = presentSnippet(row.snippet, { site, sshSite, viewer: { admin: false } })
  return { ...presentCommon(row), snippet: only(snippet, snippetFields) }
}
