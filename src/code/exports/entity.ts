import { type Static, Type } from 'typebox'
import type { ExportState } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import type { ProjectFields } from '#tenancy/projects/entity.ts'

/** How far the export of a project is. */
export const ProjectExport = entity('ProjectExport', {
  id: integer(),
  description: nullable(Type.String()),
  name: Type.String(),
  name_with_namespace: Type.String(),
  path: Type.String(),
  path_with_namespace: Type.String(),
  created_at: moment(),
  export_status: Type.String({
    description: '`none`, `queued`, `started`, `finished` or `regeneration_in_progress`.',
  }),
  _links: Type.Optional(Type.Object({ api_url: Type.String(), web_url: Type.String() })),
})

export interface ExportRow {
  readonly state: ExportState
  readonly file_id: string | null
}

export function presentExport(
  project: ProjectFields,
  row: ExportRow | undefined,
): Static<typeof ProjectExport> {
  const { _links: links } = project
  const download = `${links.self}/export/download`
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: project.name_with_namespace,
    path: project.path,
    path_with_namespace: project.path_with_namespace,
    created_at: project.created_at,
    export_status: statusOf(row),
    ...(row?.file_id != null && {
      _links: { api_url: download, web_url: download },
    }),
  }
}

function statusOf(row: ExportRow | undefined): string {
  if (row === undefined || row.state === 'failed') return row?.file_id == null ? 'none' : 'finished'
  if (row.state === 'finished') return 'finished'
  return row.file_id === null ? row.state : 'regeneration_in_progress'
}
