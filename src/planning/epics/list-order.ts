import type { ListOrder } from '#platform/http/order.ts'

/** The orders of lists of epics. */
export const epicOrder: ListOrder = {
  of: 'Epic',
  id: 'e.id',
  columns: {
    created_at: { column: 'e.created_at' },
    updated_at: { column: 'nt.updated_at' },
    title: { column: 'e.title' },
  },
  by: 'created_at',
  sort: 'desc',
}

/** Of the epics below another one. */
export const childOrder: ListOrder = {
  of: 'Epic',
  id: 'e.id',
  columns: { relative_position: { column: 'e.relative_position' } },
  by: 'relative_position',
  sort: 'asc',
}

/** Of the issues of an epic. */
export const epicIssueOrder: ListOrder = {
  of: 'EpicIssue',
  id: 'k.id',
  columns: { relative_position: { column: 'k.relative_position' } },
  by: 'relative_position',
  sort: 'asc',
}

/** Of the epics that are linked with one. */
export const linkOrder: ListOrder = {
  of: 'Epic',
  id: 'k.id',
  columns: { id: { column: 'k.id' } },
  by: 'id',
  sort: 'asc',
}
