import { type Static, Type } from 'typebox'
import type { ImportKind } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import type { ProjectFields } from '#tenancy/projects/entity.ts'

/** How far the import of a project is. */
export const ProjectImport = entity('ProjectImport', {
  id: integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: moment(),
  import_status: Type.String({ description: '`none`, `scheduled`, `started`, `finished` or `failed`.' }),
  import_type: nullable(Type.String({ description: '`git` or `gitlab_project`.' })),
  correlation_id: nullable(Type.String()),
  failed_relations: Type.Array(Type.Object({})),
  import_error: nullable(Type.String()),
  stats: nullable(Type.Object({})),
})

/** @param kind what was imported; null for a project that was not */
export function presentImport(project: ProjectFields, kind: ImportKind | null): Static<typeof ProjectImport> {
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: project.name_with_namespace,
    path: project.path,
    path_with_namespace: project.path_with_namespace,
    created_at: project.created_at,
    import_status: project.import_status,
    import_type: kind,
    import_error: project.import_error ?? null,
    correlation_id: null,
    failed_relations: [],
    stats: null,
  }
}
