import { Type } from 'typebox'
import { integer, text } from '#platform/http/schema.ts'

/** Longer than any license: names of 255 characters, and dozens of add-ons. */
const MAX_LICENSE = 20_000

export const ByLicense = Type.Object({ id: integer({ description: 'The id of the license.' }) })

export const NewLicense = Type.Object({
  license: text({ max: MAX_LICENSE, filled: true, description: 'The license string.' }),
})
