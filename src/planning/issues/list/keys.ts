import { type RawBuilder, sql } from 'kysely'
import type { PageWanted } from '#platform/http/pagination.ts'
import { allOf, type Condition } from '../conditions.ts'
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
  /** The same of rows that have them. */
  values(alias: string): Sql
  /** `order by` for rows of `issues` as `i`. */
  readonly order: Sql
  /** The same for rows that have {@link columns} and `id`. */
  sorted(alias: string): Sql
  /** A query for the first of some issues, in no order, with {@link columns}; at least those of the page. */
  first(issues: Issues, wanted: Pick<PageWanted, 'limit' | 'offset'>): Sql
}

/** Some issues. */
interface Issues {
  /** Rows `i`. */
  readonly from: Sql
  /** What an index may help with. */
  readonly where: Condition
  /** Whether one of them is open to the viewer. */
  readonly open: Condition
  /** Asked of each issue, in the order. */
  readonly tests: readonly Condition[]
}

/** Orders that an index of all issues has. */
const ofAll: readonly string[] = ['created_at', 'updated_at']

/** The SQL of the order that a page is in. */
export function keyOf({ by, sort }: Pick<PageWanted, 'by' | 'sort'>, scope: IssueScope): OrderKey {
  const { column = 'i.id', nullable = false, second } = issueOrder.columns[by] ?? {}
  const direction = sql.raw(sort)
  const value = sql.ref(column)
  const columns = second === undefined ? sql`${value} as by` : sql`${value} as by, ${sql.ref(second)} as next`
  const join = column.startsWith('rank.') ? rank(scope, [column, second]) : undefined
  const last = sql.raw(nullable ? ' nulls last' : '')
  const order = (first: Sql, next: Sql, id: Sql) => {
    const then = second === undefined ? sql`` : sql`, ${next} ${direction} nulls last`
    return sql`order by ${first} ${direction}${last}${then}, ${id} ${direction}`
  }
  const own = order(value, sql.ref(second ?? column), sql.ref('i.id'))
  return {
    columns,
    ...(join && { join }),
    values: (alias) =>
      sql.join(['by', ...(second === undefined ? [] : ['next'])].map((name) => sql.ref(`${alias}.${name}`))),
    indexed: ofAll.includes(by),
    order: own,
    sorted: (alias) => order(sql.ref(`${alias}.by`), sql.ref(`${alias}.next`), sql.ref(`${alias}.id`)),
    first({ from, where, open, tests }, { limit, offset }) {
      const reach = offset === 0 ? sql`${limit}` : sql`${limit}::bigint + ${offset}::bigint`
      const passing = allOf([where, open, ...tests])
      if (join !== undefined) {
        return sql`select i.id, ${columns} from ${from} ${join} where ${passing} ${own} limit ${reach}`
      }
      const along = sql`order by ${value} ${direction}, i.id ${direction}`
      const part = (condition: Condition) =>
        tests.length === 0
          ? sql`select i.id, ${columns} from ${from} where ${where} and ${open} and ${condition} ${along} limit ${reach}`
          : // The index alone has what is sorted. So PostgreSQL reads it, and does not sort what it takes for a few issues.
            sql`select i.id, ${columns}
              from (select i.id from ${from} where ${where} and ${condition} ${along} offset 0) o
                cross join lateral (${issueWith(sql`o.id`)}) i
              where ${allOf([open, ...tests])} limit ${reach}`
      // Read backwards, an index has the rows without a value first, so it has no order with these last.
      return nullable
        ? sql`(${part(sql`${value} is not null`)}) union all (${part(sql`${value} is null`)})`
        : part(yes)
    },
  }
}

const yes: Condition = sql<boolean>`true`

/** The columns of an issue that filters and orders read. */
const tested = [
  'id',
  'project_id',
  'iid',
  'issue_type',
  'title',
  'state',
  'author_id',
  'milestone_id',
].concat([
  'confidential',
  'due_date',
  'weight',
  'relative_position',
  'upvotes',
  'closed_by_id',
  'created_at',
  'updated_at',
])
export const testedColumns = sql.join(tested.map((column) => sql.ref(`i.${column}`)))

/** A query for the issue with an id; the offset leaves PostgreSQL no other way than to look it up. */
export const issueWith = (id: Sql): Sql =>
  sql`select ${testedColumns} from issues i where i.id = ${id} offset 0`

/**
 * Values from other tables, for those orders that go by them: the priority that the project gives to the most important label
 * of an issue, and the due date of its milestone. They are computed for all issues at once.
 */
function rank(scope: IssueScope, names: readonly (string | undefined)[]): Sql {
  const projects =
    scope.kind === 'project'
      ? sql`r.project_id = ${scope.id}`
      : sql`r.project_id in (select v.id from visible v)`
  const priorities = sql`left join (
      select c.issue_id, r.project_id, min(r.priority) as label_priority
      from label_priorities r join issue_labels c on c.label_id = r.label_id where ${projects}
      group by c.issue_id, r.project_id) priorities on priorities.issue_id = i.id and priorities.project_id = i.project_id`
  const due = sql`left join milestones due on due.id = i.milestone_id`
  const byLabel = names.includes('rank.label_priority')
  const byMilestone = names.includes('rank.milestone_due')
  const values = sql.join([
    ...(byLabel ? [sql`priorities.label_priority`] : []),
    ...(byMilestone ? [sql`due.due_date as milestone_due`] : []),
  ])
  return sql`${byLabel ? priorities : sql``} ${byMilestone ? due : sql``} cross join lateral (select ${values}) rank`
}
