import type { ListOrder } from '#platform/http/order.ts'

/** As they were made. */
export const runnerOrder: ListOrder = {
  of: 'Ci::Runner',
  id: 'r.id',
  columns: { id: { column: 'r.id' } },
  by: 'id',
  sort: 'asc',
}

export const managerOrder: ListOrder = {
  of: 'Ci::RunnerManager',
  id: 'm.id',
  columns: { id: { column: 'm.id' } },
  by: 'id',
  sort: 'desc',
}

/** Newest first. */
export const runnerJobOrder: ListOrder = {
  of: 'Ci::Build',
  id: 'j.id',
  columns: { id: { column: 'j.id' } },
  by: 'id',
  sort: 'desc',
  keyset: { orders: { id: ['desc', 'asc'] }, availability: 'authenticated' },
}
