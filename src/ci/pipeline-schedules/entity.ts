import { type Static, Type } from 'typebox'
import { PipelineVariable } from '#code/pipelines/entity.ts'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'

/** When a pipeline is made by itself. */
export const PipelineSchedule = entity('PipelineSchedule', {
  id: integer(),
  description: Type.String(),
  ref: Type.String({ description: 'The whole name: `refs/heads/main`.' }),
  cron: Type.String(),
  cron_timezone: Type.String(),
  next_run_at: nullable(moment({ description: 'Null where it never runs again.' })),
  active: Type.Boolean(),
  created_at: moment(),
  updated_at: moment(),
  owner: nullable(UserBasic),
})

/** One with its last pipeline, and its variables for those who may read them. */
export const PipelineScheduleDetail = entity('PipelineScheduleDetail', {
  ...PipelineSchedule.properties,
  last_pipeline: nullable(
    Type.Object({ id: integer(), sha: Type.String(), ref: Type.String(), status: Type.String() }),
  ),
  variables: Type.Optional(Type.Array(PipelineVariable)),
})

export interface ScheduleRow {
  readonly id: number
  readonly project_id: number
  readonly description: string
  readonly ref: string
  readonly cron: string
  readonly cron_timezone: string
  readonly next_run_at: string | null
  readonly active: boolean
  readonly owner_id: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly owner: UserBasicRow | null
}

export interface LastPipelineRow {
  readonly id: number
  readonly sha: string
  readonly ref: string
  readonly status: CiStatus
}

export const presentSchedule = (row: ScheduleRow, site: string): Static<typeof PipelineSchedule> => ({
  id: row.id,
  description: row.description,
  ref: row.ref,
  cron: row.cron,
  cron_timezone: row.cron_timezone,
  next_run_at: isoOrNull(row.next_run_at),
  active: row.active,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  owner: row.owner === null ? null : presentUserBasic(row.owner, site),
})
