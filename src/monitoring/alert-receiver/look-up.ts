import { sql } from 'kysely'
import { mappingOf, payloadKindOf, presetOf } from '#monitoring/alert-integrations/entity.ts'
import { archivedAt } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Mapping } from './payload/mapping.ts'
import type { PresetName } from './payload/presets.ts'
import type { PayloadKind } from './payload/report.ts'
import type { ReportedTo } from './take-in.ts'

/** An integration, as a request for it needs it. */
export interface ReceivingIntegration {
  readonly id: number
  readonly identifier: string
  readonly type: PayloadKind
  readonly active: boolean
  readonly digest: Buffer
  readonly preset: PresetName | null
  readonly mapping: Mapping
}

/** A project to which alerts are sent. */
export interface ReceivingProject extends ReportedTo {
  /** The namespace above it. */
  readonly groupId: number | null
  /** Oldest first. */
  readonly integrations: readonly ReceivingIntegration[]
}

interface Row {
  readonly path: string
  readonly project_id: number
  readonly namespace_id: number
  readonly parent_id: number | null
  readonly archived: boolean
  readonly create_incident: boolean
  readonly auto_close_incident: boolean
  readonly send_email: boolean
  readonly external_on_call: boolean
  readonly integrations: readonly {
    readonly id: number
    readonly identifier: string
    readonly type: string
    readonly active: boolean
    readonly digest: string
    readonly preset: string | null
    readonly mapping: unknown
  }[]
}

/**
 * Finds projects by their paths, in one statement, with their integrations. In archived projects, and while another product is on
 * call, none of them is active.
 * @returns null for a path without a project, in the order of the paths.
 */
export async function findProjectsByPath(
  db: Db,
  paths: readonly string[],
): Promise<(ReceivingProject | null)[]> {
  const wanted = [...new Set(paths.map((path) => path.toLowerCase()))]
  const { rows } = await sql<Row>`
    select lower(n.full_path) as path, p.id as project_id, n.id as namespace_id, n.parent_id, ${archivedAt('n')} as archived,
      coalesce(s.create_incident, false) as create_incident, coalesce(s.auto_close_incident, true) as auto_close_incident,
      coalesce(s.send_email, true) as send_email, coalesce(s.external_on_call, false) as external_on_call,
      coalesce((
        select json_agg(json_build_object('id', i.id, 'identifier', i.identifier, 'type', i.type, 'active', i.active,
          'digest', encode(i.key_digest, 'hex'), 'preset', i.preset, 'mapping', i.mapping) order by i.id)
        from alert_integrations i where i.project_id = p.id), '[]') as integrations
    from namespaces n join projects p on p.project_namespace_id = n.id left join alert_settings s on s.project_id = p.id
    where lower(n.full_path) = any(${wanted}::text[]) and n.kind = 'project' and n.deleted_at is null`.execute(
    db,
  )
  const found = new Map(rows.map((row) => [row.path, projectOf(row)]))
  return paths.map((path) => found.get(path.toLowerCase()) ?? null)
}

function projectOf(row: Row): ReceivingProject {
  const isClosed = row.archived || row.external_on_call
  return {
    projectId: row.project_id,
    namespaceId: row.namespace_id,
    groupId: row.parent_id,
    createIncident: row.create_incident,
    closeIncident: row.auto_close_incident,
    sendEmail: row.send_email,
    integrations: row.integrations.map(({ id, identifier, type, active, digest, preset, mapping }) => ({
      id,
      identifier,
      type: payloadKindOf(type),
      active: active && !isClosed,
      digest: Buffer.from(digest, 'hex'),
      preset: presetOf(preset),
      mapping: mappingOf(mapping),
    })),
  }
}
