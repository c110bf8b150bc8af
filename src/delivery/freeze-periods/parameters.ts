import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, integer, text } from '#platform/http/schema.ts'

export const ByFreezePeriod = Type.Object({ ...ById.properties, freeze_period_id: integer() })

export const FreezePeriodFilter = Type.Object(pageParameters)

const freeze_start = text({ filled: true, description: 'When it begins: five fields, as in crontab.' })
const freeze_end = text({ filled: true, description: 'When it ends, in the same form.' })
const cron_timezone = text({ filled: true, description: 'The time zone of both; by default `UTC`.' })

export const NewFreezePeriod = Type.Object({
  freeze_start,
  freeze_end,
  cron_timezone: Type.Optional(cron_timezone),
})

export const FreezePeriodChanges = Type.Object({
  freeze_start: Type.Optional(freeze_start),
  freeze_end: Type.Optional(freeze_end),
  cron_timezone: Type.Optional(cron_timezone),
})
