import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { FreezePeriods } from '#platform/db/schema.ts'
import { entity, integer, moment } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

export const FreezePeriod = entity('FreezePeriod', {
  id: integer(),
  freeze_start: Type.String(),
  freeze_end: Type.String(),
  cron_timezone: Type.String(),
  created_at: moment(),
  updated_at: moment(),
})

/** The columns of `freeze_periods`. */
export const freezePeriodColumns = [
  'id',
  'project_id',
  'freeze_start',
  'freeze_end',
  'cron_timezone',
  'created_at',
  'updated_at',
] as const

export type FreezePeriodRow = Selectable<FreezePeriods>

export function presentFreezePeriod(row: FreezePeriodRow): Static<typeof FreezePeriod> {
  return {
    id: row.id,
    freeze_start: row.freeze_start,
    freeze_end: row.freeze_end,
    cron_timezone: row.cron_timezone,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  }
}
