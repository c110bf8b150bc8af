import type { ListOrder } from '#platform/http/order.ts'

export const pipelineOrder: ListOrder = {
  of: 'Ci::Pipeline',
  id: 'p.id',
  columns: {
    id: { column: 'p.id' },
    status: { column: 'p.status' },
    ref: { column: 'p.ref' },
    updated_at: { column: 'p.updated_at' },
    user_id: { column: 'p.user_id', nullable: true },
  },
  by: 'id',
  sort: 'desc',
}
