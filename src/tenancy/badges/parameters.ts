import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, integer, nullable, text } from '#platform/http/schema.ts'

export const ByBadge = Type.Object({
  ...ById.properties,
  badge_id: integer({ description: 'The id of a badge.' }),
})

export const BadgeFilter = Type.Object({
  ...pageParameters,
  name: Type.Optional(text({ description: 'Only badges with exactly this name.' })),
})

const url = (what: string) =>
  text({ max: 2048, filled: true, description: `${what} An http or https URL, which may have placeholders.` })

const urls = { link_url: url('Where the badge leads.'), image_url: url('The picture of the badge.') }
const name = Type.Optional(nullable(text()))

export const NewBadge = Type.Object({ ...urls, name })
export const BadgeChanges = Type.Object({ ...Type.Partial(Type.Object(urls)).properties, name })
export const BadgeUrls = Type.Object(urls)
