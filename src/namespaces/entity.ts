import { type Static, Type } from 'typebox'
import type { NamespaceKind } from '#db/schema.ts'
import { entity, integer, nullable, oneOf } from '#http/schema.ts'

/** The namespace of a project, or any namespace in short. */
export const NamespaceBasic = entity('NamespaceBasic', {
  id: integer(),
  name: Type.String(),
  path: Type.String(),
  kind: oneOf<NamespaceKind>(['user', 'group', 'project']),
  full_path: Type.String(),
  parent_id: nullable(integer()),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
})

export interface NamespaceBasicRow {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly kind: NamespaceKind
  readonly full_path: string
  readonly parent_id: number | null
}

/** @param site where the web pages live: `req.site`. */
export function presentNamespaceBasic(row: NamespaceBasicRow, site: string): Static<typeof NamespaceBasic> {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    kind: row.kind,
    full_path: row.full_path,
    parent_id: row.parent_id,
    avatar_url: null,
    web_url: row.kind === 'group' ? `${site}/groups/${row.full_path}` : `${site}/${row.full_path}`,
  }
}
