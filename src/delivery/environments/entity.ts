import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { AutoStopSetting, DeploymentTier, Environments, EnvironmentState } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { ProjectSimple, type ProjectSimpleFields } from '#tenancy/projects/fields.ts'
import { tiers } from './tier.ts'

export const states = ['available', 'stopping', 'stopped'] as const satisfies readonly EnvironmentState[]
export const autoStopSettings = ['always', 'with_action'] as const satisfies readonly AutoStopSetting[]

/** An environment as a part of other resources. */
export const EnvironmentBasic = entity('EnvironmentBasic', {
  id: integer(),
  name: Type.String(),
  slug: Type.String(),
  external_url: nullable(Type.String()),
  created_at: moment(),
  updated_at: moment(),
})

export const Environment = entity('Environment', {
  ...EnvironmentBasic.properties,
  tier: oneOf<DeploymentTier>(tiers),
  project: ProjectSimple,
  state: oneOf<EnvironmentState>(states),
  auto_stop_at: nullable(moment()),
  description: nullable(Type.String()),
  auto_stop_setting: oneOf<AutoStopSetting>(autoStopSettings),
})

/** The columns of `environments` that {@link presentEnvironment} needs. */
export const environmentColumns = [
  'id',
  'project_id',
  'name',
  'slug',
  'tier',
  'state',
  'external_url',
  'description',
  'auto_stop_at',
  'auto_stop_setting',
  'auto_delete_at',
  'created_at',
  'updated_at',
] as const

/** One that was not deleted. */
export type EnvironmentRow = Omit<Selectable<Environments>, 'deleted_at'>

export type EnvironmentBasicRow = Pick<
  EnvironmentRow,
  'id' | 'name' | 'slug' | 'external_url' | 'created_at' | 'updated_at'
>

export function presentEnvironmentBasic(row: EnvironmentBasicRow): Static<typeof EnvironmentBasic> {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    external_url: row.external_url,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}

/** @param project the project of the environment, as the caller sees it */
export function presentEnvironment(
  row: EnvironmentRow,
  project: ProjectSimpleFields,
): Static<typeof Environment> {
  return {
    ...presentEnvironmentBasic(row),
    tier: row.tier,
    project,
    state: row.state,
    auto_stop_at: isoOrNull(row.auto_stop_at),
    description: row.description,
    auto_stop_setting: row.auto_stop_setting,
  }
}
