import { type RawBuilder, sql } from 'kysely'
import { KeptTexts } from '#platform/db/prepare.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { IssueQuery } from './queries.ts'

const both = ['asc', 'desc'] as const

/** The orders of every list of issues. */
export const issueOrder: ListOrder = {
  of: 'Issue',
  id: 'i.id',
  columns: {
    created_at: { column: 'i.created_at' },
    updated_at: { column: 'i.updated_at' },
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
  kept: new KeptTexts(24),
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

const ranks: readonly (string | undefined)[] = ['label_priority', 'milestone_due', 'priority']

/** Whether an order needs {@link withRank}. */
export const needsRank = (orderBy: string | undefined): boolean => ranks.includes(orderBy)

/**
 * Joins values from other tables that some orders need, as `rank`: the priority that the project gives to the most
 * important label of an issue, and the due date of its milestone.
 */
export function withRank(query: IssueQuery) {
  const rank: RawBuilder<{ label_priority: number | null; milestone_due: string | null }> = sql`(select
    (select min(r.priority) from issue_labels c
      join label_priorities r on r.label_id = c.label_id and r.project_id = i.project_id
      where c.issue_id = i.id) as label_priority,
    (select m.due_date from milestones m where m.id = i.milestone_id) as milestone_due)`
  return query.leftJoinLateral(rank.as('rank'), (join) => join.onTrue())
}
