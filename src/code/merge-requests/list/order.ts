import type { ListOrder } from '#platform/http/order.ts'

/** The orders of every list of merge requests. */
export const mergeRequestOrder: ListOrder = {
  of: 'MergeRequest',
  id: 'i.id',
  columns: {
    created_at: { column: 'i.created_at' },
    updated_at: { column: 'nt.updated_at' },
    title: { column: 'i.title' },
    merged_at: { column: 'i.merged_at', nullable: true },
    popularity: { column: 'i.upvotes' },
    label_priority: { column: 'rank.label_priority', nullable: true },
    milestone_due: { column: 'rank.milestone_due', nullable: true },
    priority: { column: 'rank.milestone_due', nullable: true, second: 'rank.label_priority' },
  },
  by: 'created_at',
  sort: 'desc',
}
