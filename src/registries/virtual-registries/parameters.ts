import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { integer, nullable, rules, text } from '#platform/http/schema.ts'

const byId = (what: string) => Type.Object({ id: integer({ description: `The id of ${what}.` }) })

export const ByRegistry = byId('a virtual registry')
export const ByUpstream = byId('an upstream')
export const ByAssociation = byId('an association: `registry_upstreams` has them')
export const ByCacheEntry = byId('a cache entry')

const name = text({ filled: true })
const description = Type.Optional(nullable(text({ max: 1024 })))

export const NewRegistry = Type.Object({ name, description })
export const RegistryChanges = Type.Object(
  { name: Type.Optional(name), description },
  rules({ atLeastOneOf: ['name', 'description'] }),
)

const url = text({
  max: 255,
  filled: true,
  description: 'Where the upstream is: an http or https URL without user name, query and fragment.',
})
const cache_validity_hours = Type.Optional(
  integer({
    minimum: 0,
    maximum: 876_000,
    description: 'For how long a tag is served without asking the upstream again; 24 unless given.',
  }),
)
const credentials = {
  username: Type.Optional(nullable(text({ max: 510 }))),
  password: Type.Optional(
    nullable(
      text({ max: 510, description: 'No answer has it. Without both, the upstream is asked anonymously.' }),
    ),
  ),
}
const together = { allOrNoneOf: ['username', 'password'] } as const

export const NewUpstream = Type.Object(
  { url, name, cache_validity_hours, description, ...credentials },
  rules(together),
)
export const UpstreamChanges = Type.Object(
  {
    url: Type.Optional(url),
    name: Type.Optional(name),
    cache_validity_hours,
    description,
    ...credentials,
  },
  rules({
    ...together,
    atLeastOneOf: ['cache_validity_hours', 'description', 'name', 'password', 'url', 'username'],
  }),
)
export const UpstreamFilter = Type.Object({
  ...pageParameters,
  upstream_name: Type.Optional(
    text({ description: 'Only upstreams whose names contain these words, ignoring case.' }),
  ),
})

export const NewUpstreamTest = Type.Object({ url, ...credentials }, rules(together))
export const UpstreamTest = Type.Object({ url: Type.Optional(url), ...credentials }, rules(together))

export const NewAssociation = Type.Object({
  registry_id: integer({ description: 'The id of a virtual registry.' }),
  upstream_id: integer({ description: 'The id of an upstream of the same group.' }),
})
export const NewPosition = Type.Object({
  position: integer({
    minimum: 1,
    maximum: 20,
    description: 'The new place in the order. One beyond the last upstream means the last place.',
  }),
})
export const CacheFilter = Type.Object({
  ...pageParameters,
  search: Type.Optional(text({ description: 'Only entries whose relative paths contain this.' })),
})
