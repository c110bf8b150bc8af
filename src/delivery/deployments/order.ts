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
    finished_at: { column: 'd.finished_at', nullable: true },
    ref: { column: 'd.ref' },
  },
  by: 'id',
  sort: 'asc',
}
