import { Type } from 'typebox'
import { ById, integer, text } from '#platform/http/schema.ts'

/** The largest payload, in bytes. */
export const MAX_PAYLOAD = 1024 * 1024

/** A project by its path, and the way in which its URL names an integration. */
export const ByWay = Type.Object({ project: text({ max: 8_192 }), way: text({ max: 32 }) })

export const ToTest = Type.Object({
  ...ById.properties,
  integration_id: integer({ minimum: 1, description: 'The id of an integration.' }),
})

export const TestAlert = Type.Object({
  payload: Type.Optional(
    text({ max: MAX_PAYLOAD, description: 'A payload as JSON; by default one with the title `Test alert`.' }),
  ),
})
