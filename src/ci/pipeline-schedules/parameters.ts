import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, hash, integer, oneOf, text } from '#platform/http/schema.ts'

export const BySchedule = Type.Object({ ...ById.properties, pipeline_schedule_id: integer() })
export const ByScheduleVariable = Type.Object({
  ...BySchedule.properties,
  key: text({ description: 'The key of a variable.' }),
})

export const ScheduleFilter = Type.Object({
  ...pageParameters,
  scope: Type.Optional(oneOf(['active', 'inactive'])),
})
export const Pages = Type.Object(pageParameters)

const description = text({ filled: true })
const ref = text({ max: 1_024, filled: true, description: 'The branch or tag.' })
const cron = text({ filled: true, description: 'As crontab has it: `0 1 * * *`.' })
const cron_timezone = text({ filled: true, description: 'As `Europe/Berlin`; by default `UTC`.' })
const active = flag({ description: 'Whether it runs; by default it does.' })
const inputs = hash(text({ max: 1_000 }), { description: 'Values of the inputs of the configuration.' })

export const NewSchedule = Type.Object({
  description,
  ref,
  cron,
  cron_timezone: Type.Optional(cron_timezone),
  active: Type.Optional(active),
  inputs: Type.Optional(inputs),
})
export const ScheduleChanges = Type.Object({
  description: Type.Optional(description),
  ref: Type.Optional(ref),
  cron: Type.Optional(cron),
  cron_timezone: Type.Optional(cron_timezone),
  active: Type.Optional(active),
  inputs: Type.Optional(inputs),
})

const value = text({ max: 10_000 })
const variable_type = oneOf(['env_var', 'file'], { description: '`env_var` by default.' })
export const NewScheduleVariable = Type.Object({
  key: text({ filled: true, description: 'Letters, digits and `_`.' }),
  value,
  variable_type: Type.Optional(variable_type),
})
export const ScheduleVariableChanges = Type.Object({
  value: Type.Optional(value),
  variable_type: Type.Optional(variable_type),
})
