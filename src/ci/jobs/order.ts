import type { ListOrder } from '#platform/http/order.ts'

export const jobOrder: ListOrder = {
  of: 'Ci::Build',
  id: 'j.id',
  columns: { id: { column: 'j.id' } },
  by: 'id',
  sort: 'desc',
  keyset: { orders: { id: ['desc'] }, availability: 'authenticated' },
}
