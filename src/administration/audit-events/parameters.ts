import { Type } from 'typebox'
import { orderParameters } from '#platform/http/order.ts'
import { ById, integer, moment, oneOf, rules } from '#platform/http/schema.ts'
import { entityTypes } from './entity.ts'
import { auditEventOrder } from './queries.ts'

const filter = {
  ...orderParameters(auditEventOrder),
  created_after: Type.Optional(moment({ description: 'Created at this time or later.' })),
  created_before: Type.Optional(moment({ description: 'Created at this time or earlier.' })),
}

export const Filter = Type.Object(filter)

export const InstanceFilter = Type.Object(
  {
    ...filter,
    entity_type: Type.Optional(oneOf(entityTypes)),
    entity_id: Type.Optional(integer({ minimum: 1 })),
  },
  rules({ needs: { entity_id: 'entity_type' } }),
)

const id = integer({ minimum: 1 })

export const ByEvent = Type.Object({ id })
export const ByContainerAndEvent = Type.Object({ ...ById.properties, audit_event_id: id })
