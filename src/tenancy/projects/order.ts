import type { ListOrder } from '#platform/http/order.ts'

const size = { column: 'p.id' }

/** All sizes are zero while there are no repositories, so the id decides. */
export const sizeOrders = {
  storage_size: size,
  repository_size: size,
  wiki_size: size,
  packages_size: size,
}

export const projectOrder: ListOrder = {
  of: 'Project',
  id: 'p.id',
  columns: {
    id: { column: 'p.id' },
    name: { column: 'n.name' },
    path: { column: 'n.path' },
    created_at: { column: 'n.created_at' },
    updated_at: { column: 'n.updated_at' },
    last_activity_at: { column: 'p.last_activity_at' },
    star_count: { column: 'p.star_count' },
    /** How well a project matches the search; see filters.ts. */
    similarity: { column: 'similarity' },
    ...sizeOrders,
  },
  by: 'created_at',
  sort: 'desc',
  keyset: { orders: { id: ['asc', 'desc'] }, availability: 'both', idFilters: true },
}
