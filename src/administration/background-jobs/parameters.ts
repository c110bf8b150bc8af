import { Type } from 'typebox'
import { type ListOrder, orderParameters } from '#platform/http/order.ts'
import { integer } from '#platform/http/schema.ts'

export const ByBackgroundJob = Type.Object({ id: integer({ description: 'The id of the job.' }) })

/** The newest first. */
export const backgroundJobOrder: ListOrder = {
  of: 'BackgroundJob',
  id: 'j.id',
  columns: { id: { column: 'j.id' } },
  by: 'id',
  sort: 'desc',
  keyset: { orders: { id: ['desc', 'asc'] }, availability: 'authenticated' },
}

export const BackgroundJobFilter = Type.Object(orderParameters(backgroundJobOrder))

/** What was tried again. */
export const Retried = Type.Object({
  retried: integer({ description: 'How many jobs get all their tries again.' }),
})
