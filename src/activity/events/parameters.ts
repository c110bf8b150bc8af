import { type Static, Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import { day, idOrPath, oneOf } from '#platform/http/schema.ts'
import { eventOrder } from './find-events.ts'
import { actions, targetTypes } from './kinds.ts'

const filter = {
  ...orderParameters(eventOrder),
  action: Type.Optional(oneOf(actions)),
  target_type: Type.Optional(oneOf(targetTypes)),
  before: Type.Optional(day({ description: 'Only events before this day.' })),
  after: Type.Optional(day({ description: 'Only events after this day.' })),
}

export const EventFilter = Type.Object(filter)
export type EventFilter = Static<typeof EventFilter>

export const OwnEventFilter = Type.Object({
  ...filter,
  scope: Type.Optional(
    oneOf(['all'], { description: 'Also events of others in the projects that you are a member of.' }),
  ),
})

export const ByUser = Type.Object({
  id: idOrPath({ max: 255, description: 'The id or username of a user.' }),
})
export const ByProject = Type.Object({
  project_id: idOrPath({ description: 'The id or the URL-encoded path.' }),
})
