import type { ListOrder } from '#platform/http/order.ts'

const both = ['asc', 'desc'] as const

/** The orders of every list of issues. */
export const issueOrder: ListOrder = {
  of: 'Issue',
  id: 'i.id',
  columns: {
    created_at: { column: 'i.created_at' },
    updated_at: { column: 'nt.updated_at' },
    title: { column: 'i.title' },
    id: { column: 'i.id' },
    weight: { column: 'i.weight', nullable: true },
    due_date: { column: 'i.due_date', nullable: true },
    relative_position: { column: 'i.relative_position', nullable: true },
    popularity: { column: 'i.upvotes' },
    label_priority: { column: 'rank.label_priority', nullable: true },
    milestone_due: { column: 'rank.milestone_due', nullable: true },
    priority: { column: 'rank.milestone_due', nullable: true, second: 'rank.label_priority' },
  },
  by: 'created_at',
  sort: 'desc',
}

/** "Pagination" in the specification: a project's list has keyset pages, too. */
export const projectIssueOrder: ListOrder = {
  ...issueOrder,
  keyset: {
    orders: {
      created_at: both,
      updated_at: both,
      title: both,
      id: both,
      weight: both,
      due_date: both,
      relative_position: both,
    },
    availability: 'both',
  },
}
