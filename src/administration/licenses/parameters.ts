import { Type } from 'typebox'
import { day, integer, MAX_INT4, oneOf, text } from '#platform/http/schema.ts'
import { licensedPlans } from './licensed-plans.ts'

/** Longer than any license: names of 255 characters, and dozens of add-ons. */
const MAX_LICENSE = 20_000

export const ByLicense = Type.Object({ id: integer({ description: 'The id of the license.' }) })

export const NewLicense = Type.Object({
  license: text({ max: MAX_LICENSE, filled: true, description: 'The license string.' }),
})

export const OwnLicense = Type.Object({
  plan: oneOf(licensedPlans),
  starts_at: Type.Optional(day({ description: 'By default today.' })),
  expires_at: Type.Optional(
    day({ description: 'The first day on which the license no longer counts; by default a year later.' }),
  ),
  users: Type.Integer({ minimum: 0, maximum: MAX_INT4, default: 0, description: '0 means no limit.' }),
  name: Type.Optional(text({ filled: true, description: 'By default your name.' })),
  email: Type.Optional(text({ filled: true, description: 'By default your email.' })),
  company: Type.Optional(text({ filled: true, description: 'By default the name.' })),
})
