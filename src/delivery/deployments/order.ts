import type { ListOrder } from '#platform/http/order.ts'

export const deploymentOrder: ListOrder = {
  of: 'Deployment',
  id: 'd.id',
  columns: {
    id: { column: 'd.id' },
    // Numbers and moments of creation are given out in the order of ids.
    iid: { column: 'd.id' },
    created_at: { column: 'd.id' },
    updated_at: { column: 'd.updated_at' },
    // Only in lists of those that have ended: see parameters.ts.
    finished_at: { column: 'd.finished_at' },
    ref: { column: 'd.ref' },
  },
  by: 'id',
  sort: 'asc',
}
