import { type Static, Type } from 'typebox'
import { integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

/** The fields with which every answer names a project, whatever else it says of it. */
export const projectIdentity = {
  id: integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: moment(),
}

/** A project with its row of `namespaces`. */
export interface ProjectIdentityRow {
  readonly id: number
  readonly description: string | null
  readonly name: string
  readonly full_name: string
  readonly path: string
  readonly full_path: string
  readonly created_at: string
}

export function presentProjectIdentity(row: ProjectIdentityRow): {
  [Name in keyof typeof projectIdentity]: Static<(typeof projectIdentity)[Name]>
} {
  return {
    id: row.id,
    description: row.description,
    name: row.name,
    name_with_namespace: row.full_name,
    path: row.path,
    path_with_namespace: row.full_path,
    created_at: iso(row.created_at),
  }
}
