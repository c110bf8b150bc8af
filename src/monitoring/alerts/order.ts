import type { ListOrder } from '#platform/http/order.ts'

/** Newest first. Numbers grow with time. */
export const alertOrder: ListOrder = {
  of: 'Alert',
  id: 'a.id',
  columns: { created_at: { column: 'a.id' }, started_at: { column: 'a.started_at' } },
  by: 'created_at',
  sort: 'desc',
  keyset: { orders: { created_at: ['desc', 'asc'] }, availability: 'authenticated' },
}
