import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { mappedFields } from '#monitoring/alert-receiver/payload/fields.ts'
import type { Mapping } from '#monitoring/alert-receiver/payload/mapping.ts'
import { isPresetName, presetNames } from '#monitoring/alert-receiver/payload/presets.ts'
import { payloadKinds, isObject } from '#monitoring/alert-receiver/payload/report.ts'
import type { AlertIntegrations } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { alertSettingsProperties } from './parameters.ts'

export const AlertIntegration = entity('AlertIntegration', {
  id: integer(),
  project_id: integer(),
  name: Type.String(),
  type: oneOf(payloadKinds),
  active: Type.Boolean({ description: 'False also while an external product is on call.' }),
  url: nullable(Type.String({ description: 'Where alerts are sent. Null for those who may not change it.' })),
  authorization_key: nullable(Type.String({ description: 'Null for those who may not change it.' })),
  preset: nullable(oneOf(presetNames)),
  mapping: Type.Record(Type.String(), Type.Array(Type.String())),
  sample_payload: nullable(Type.String({ description: 'As JSON.' })),
  created_at: moment(),
  updated_at: moment(),
})

export const AlertSettings = entity('AlertSettings', alertSettingsProperties)
export type AlertSettings = Static<typeof AlertSettings>

export const integrationColumns = [
  'id',
  'project_id',
  'identifier',
  'type',
  'name',
  'active',
  'authorization_key',
  'preset',
  'mapping',
  'sample_payload',
  'created_at',
  'updated_at',
] as const

export type IntegrationRow = Pick<Selectable<AlertIntegrations>, (typeof integrationColumns)[number]>

/** The mapping in a row. */
export function mappingOf(value: unknown): Mapping {
  if (!isObject(value)) return {}
  return Object.fromEntries(
    mappedFields.flatMap((field) => {
      const paths = value[field]
      if (!Array.isArray(paths)) return []
      return [[field, paths.filter((path): path is string => typeof path === 'string')]]
    }),
  )
}

export const payloadKindOf = (type: string) => (type === 'prometheus' ? 'prometheus' : 'generic')
export const presetOf = (name: string | null) => (name !== null && isPresetName(name) ? name : null)

/** What only those see who may change an integration. */
export interface Private {
  readonly url: string
  readonly authorization_key: string
}

export function presentIntegration(
  row: IntegrationRow,
  shown: Private | undefined,
  onCall: boolean,
): Static<typeof AlertIntegration> {
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    type: payloadKindOf(row.type),
    active: row.active && !onCall,
    url: shown?.url ?? null,
    authorization_key: shown?.authorization_key ?? null,
    preset: presetOf(row.preset),
    mapping: Object.fromEntries(
      Object.entries(mappingOf(row.mapping)).map(([field, paths]) => [field, [...paths]]),
    ),
    sample_payload: row.sample_payload === null ? null : JSON.stringify(row.sample_payload),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

/** The URL of an integration. Its name is there for people alone. */
export const receiverUrl = (
  site: string,
  fullPath: string,
  { name, identifier }: Pick<IntegrationRow, 'name' | 'identifier'>,
) => flat`${site}/${fullPath}/alerts/notify/${slugOf(name)}/${identifier}.json`

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
  return slug === '' ? 'alerts' : slug
}
