import { type RawBuilder, sql } from 'kysely'
import type { PageWanted } from '#platform/http/pagination.ts'
import { issueOrder } from '../list-order.ts'
import type { IssueScope } from './scope.ts'

type Sql = RawBuilder<unknown>

/** SQL for one order of issues. */
export interface OrderKey {
  /** The values that it goes by, as `by` and perhaps `next`. */
  readonly columns: Sql
  /** Joined tables that have these values; then no index has the order. */
  readonly join?: Sql
  /** Whether an index has all issues of the instance in this order. */
  readonly indexed: boolean
  /** `order by` for rows of `issues` as `i`. */
  readonly order: Sql
  /** The same for rows that have {@link columns} and `id`. */
  sorted(alias: string): Sql
  /** A query for the first of some issues `i` that pass, in no order, with {@link columns}; at least those of the page. */
  first(issues: Sql, passing: Sql, wanted: Pick<PageWanted, 'limit' | 'offset'>): Sql
}

/** Orders that an index of all issues has. */
const ofAll: readonly string[] = ['created_at', 'updated_at']

/** The SQL of the order that a page is in. */
export function keyOf({ by, sort }: Pick<PageWanted, 'by' | 'sort'>, scope: IssueScope): OrderKey {
  const { column = 'i.id', nullable = false, second } = issueOrder.columns[by] ?? {}
  const direction = sql.raw(sort)
  const value = sql.ref(column)
  const columns = second === undefined ? sql`${value} as by` : sql`${value} as by, ${sql.ref(second)} as next`
  const join = column.startsWith('rank.') ? rank(scope) : undefined
  const last = sql.raw(nullable ? ' nulls last' : '')
  const order = (first: Sql, next: Sql, id: Sql) => {
    const then = second === undefined ? sql`` : sql`, ${next} ${direction} nulls last`
    return sql`order by ${first} ${direction}${last}${then}, ${id} ${direction}`
  }
  const own = order(value, sql.ref(second ?? column), sql.ref('i.id'))
  return {
    columns,
    ...(join && { join }),
    indexed: ofAll.includes(by),
    order: own,
    sorted: (alias) => order(sql.ref(`${alias}.by`), sql.ref(`${alias}.next`), sql.ref(`${alias}.id`)),
    first(issues, passing, { limit, offset }) {
      const rows = sql`select i.id, ${columns} from ${issues} ${join ?? sql``} where ${passing}`
      const reach = offset === 0 ? sql`${limit}` : sql`${limit}::bigint + ${offset}::bigint`
      if (!nullable || join !== undefined) return sql`${rows} ${own} limit ${reach}`
      // Read backwards, an index has the rows without a value first, so it has no order with these last.
      return sql`(${rows} and ${value} is not null order by ${value} ${direction}, i.id ${direction} limit ${reach})
        union all (${rows} and ${value} is null order by i.id ${direction} limit ${reach})`
    },
  }
}

/**
 * Values from other tables: the priority that the project gives to the most important label of an issue, and the due date of
 * its milestone. They are computed for all issues at once.
 */
function rank(scope: IssueScope): Sql {
  const projects =
    scope.kind === 'project'
      ? sql`r.project_id = ${scope.id}`
      : sql`r.project_id in (select v.id from visible v)`
  return sql`left join (
      select c.issue_id, r.project_id, min(r.priority) as label_priority
      from label_priorities r join issue_labels c on c.label_id = r.label_id where ${projects}
      group by c.issue_id, r.project_id) priorities on priorities.issue_id = i.id and priorities.project_id = i.project_id
    left join milestones due on due.id = i.milestone_id
    cross join lateral (select priorities.label_priority, due.due_date as milestone_due) rank`
}
