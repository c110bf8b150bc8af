import { Type } from 'typebox'
import type { ListOrder } from '#platform/http/order.ts'
import { orderParameters } from '#platform/http/order.ts'
import { ById, integer, MAX_INT4, nullable, oneOf, rules, text } from '#platform/http/schema.ts'

export const errorStatuses = ['unresolved', 'resolved', 'ignored'] as const

/** The orders of the list of errors. */
export const errorOrder: ListOrder = {
  of: 'Error',
  id: 'e.id',
  columns: {
    last_seen: { column: 'e.last_seen_at' },
    first_seen: { column: 'e.first_seen_at' },
    frequency: { column: 'e.events_count' },
  },
  by: 'last_seen',
  sort: 'desc',
  keyset: {
    orders: { last_seen: ['desc', 'asc'], first_seen: ['desc', 'asc'], frequency: ['desc', 'asc'] },
    availability: 'authenticated',
  },
}

export const ByError = Type.Object({
  ...ById.properties,
  error_id: integer({ description: 'The id of an error.' }),
})

/** The last one that arrived comes first. */
export const eventOrder: ListOrder = {
  of: 'ErrorEvent',
  id: 'v.id',
  columns: { id: { column: 'v.id' } },
  by: 'id',
  sort: 'desc',
  keyset: { orders: { id: ['desc', 'asc'] }, availability: 'authenticated' },
}
export const EventFilter = Type.Object(orderParameters(eventOrder))

const issue_iid = integer({ minimum: 1, maximum: MAX_INT4 })

export const ErrorFilter = Type.Object({
  ...orderParameters(errorOrder),
  status: Type.Optional(
    oneOf(errorStatuses, { description: '`unresolved` by default, unless `issue_iid` is given.' }),
  ),
  query: Type.Optional(text({ description: 'Only errors whose title or culprit contains this text.' })),
  issue_iid: Type.Optional(
    integer({ minimum: 1, maximum: MAX_INT4, description: 'Only errors linked to this issue.' }),
  ),
})

export const ErrorChanges = Type.Object(
  {
    status: Type.Optional(oneOf(errorStatuses)),
    resolved_in_release: Type.Optional(
      text({
        max: 250,
        filled: true,
        description: 'With `status=resolved`: only events of this release or a later one reopen the error.',
      }),
    ),
    issue_iid: Type.Optional(nullable(issue_iid)),
  },
  rules({ atLeastOneOf: ['status', 'issue_iid'], needs: { resolved_in_release: 'status' } }),
)
