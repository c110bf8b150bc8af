import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { visibilities } from './parameters.ts'

export const Snippet = entity('Snippet', {
  id: integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  visibility: oneOf(visibilities),
  author: UserBasic,
  created_at: moment(),
  updated_at: moment(),
  project_id: nullable(integer({ description: 'Null for a snippet of a person.' })),
  web_url: Type.String(),
  raw_url: Type.String(),
  ssh_url_to_repo: nullable(Type.String({ description: 'Null where the instance offers no SSH.' })),
  http_url_to_repo: Type.String(),
  file_name: Type.String({ description: 'The path of the first file.' }),
  files: Type.Array(Type.Object({ path: Type.String(), raw_url: Type.String() })),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  repository_storage: Type.Optional(Type.String({ description: 'For administrators.' })),
})

/** A snippet with everything that presenting it needs. */
export interface SnippetRow {
  readonly id: number
  readonly project_id: number | null
  /** Of the project, or of the person. */
  readonly namespace_id: number
  /** Of that namespace. */
  readonly full_path: string
  readonly author: UserBasicRow
  readonly title: string
  readonly description: string | null
  readonly visibility: Visibility
  readonly file_paths: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly default_branch: string | null
  readonly storage: string | null
  readonly left_out: number | null
}

export interface SnippetAudience {
  readonly site: string
  readonly sshSite: string | undefined
  readonly viewer: { readonly admin: boolean }
}

export function presentSnippet(
  row: SnippetRow,
  { site, sshSite, viewer }: SnippetAudience,
): Static<typeof Snippet> {
  const { id, title, description, visibility, author, project_id, file_paths, storage } = row
  const [page, repository] =
    project_id === null
      ? ['-/snippets', 'snippets']
      : [`${row.full_path}/-/snippets`, `${row.full_path}/snippets`]
  const web_url = flat`${site}/${page}/${id}`
  const branch = encodeURIComponent(row.default_branch ?? 'main')
  const raw = (path: string) =>
    flat`${web_url}/raw/${branch}/${path.split('/').map(encodeURIComponent).join('/')}`
  return {
    id,
    title,
    description,
    visibility,
    author: presentUserBasic(author, site),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    project_id,
    web_url,
    raw_url: flat`${web_url}/raw`,
    ssh_url_to_repo: sshSite === undefined ? null : flat`${sshSite}${repository}/${id}.git`,
    http_url_to_repo: flat`${site}/${repository}/${id}.git`,
    file_name: file_paths[0] ?? '',
    files: file_paths.map((path) => ({ path, raw_url: raw(path) })),
    imported: false,
    imported_from: 'none',
    ...(viewer.admin && storage !== null && { repository_storage: storage }),
  }
}
