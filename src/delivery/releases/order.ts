import type { ListOrder } from '#platform/http/order.ts'

/** What was released last comes first. */
export const releaseOrder: ListOrder = {
  of: 'Release',
  id: 'r.id',
  columns: { released_at: { column: 'r.released_at' }, created_at: { column: 'r.created_at' } },
  by: 'released_at',
  sort: 'desc',
}

/** Links as they were made. */
export const linkOrder: ListOrder = {
  of: 'ReleaseLink',
  id: 'l.id',
  columns: { created_at: { column: 'l.created_at' } },
  by: 'created_at',
  sort: 'asc',
}
