import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer } from '#platform/http/schema.ts'

const active = flag({ description: 'Whether events are accepted.' })
const integrated = flag({
  description: 'Whether this server tracks the errors itself. Events are accepted only if it does.',
})
const scrub_personal_data = Type.Optional(
  flag({ description: "Whether personal data is taken out of events when they arrive. Forgelet's own." }),
)

export const WholeTracking = Type.Object({ active, integrated, scrub_personal_data })
export const TrackingChanges = Type.Object({
  active,
  integrated: Type.Optional(integrated),
  scrub_personal_data,
})

export const ByKey = Type.Object({
  ...ById.properties,
  key_id: integer({ description: 'The id of a client key.' }),
})
export const KeyPage = Type.Object(pageParameters)
