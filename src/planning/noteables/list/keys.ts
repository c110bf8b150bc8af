import { type RawBuilder, sql } from 'kysely'
import type { PageWanted } from '#platform/http/pagination.ts'
import { reachOf } from '#platform/lists/page-of-ids.ts'
import type { Condition } from './condition.ts'
import { allOf } from './conditions.ts'
import { type ListedKind, tablesOf } from './kind.ts'
import type { ListScope } from './scope.ts'

type Sql = RawBuilder<unknown>

/** SQL for one order of items. */
export interface OrderKey {
  /** The values that it goes by, as `by` and perhaps `next`. */
  readonly columns: Sql
  /** Joined tables that have these values; then no index of items has the order. */
  readonly join?: Sql
  /** Whether an index has all items of the instance in this order. */
  readonly indexed: boolean
  /** The same of rows that have them. */
  values(alias: string): Sql
  /** `order by` for rows of `items` as `i`. */
  readonly order: Sql
  /** The same for rows that have {@link columns} and `id`. */
  sorted(alias: string): Sql
  /** A query for the first of some items, in no order, with {@link columns}; at least those of the page. */
  first(items: Some, wanted: Pick<PageWanted, 'limit' | 'offset'>): Sql
}

/** Some items. */
interface Some {
  /** Rows `i`. */
  readonly from: Sql
  /** What an index may help with. */
  readonly where: Condition
  /** Whether one of them is open to the viewer. */
  readonly open: Condition
  /** Asked of each item, in the order. */
  readonly tests: readonly Condition[]
}

/** Orders that an index of all items has. */
const ofAll: readonly string[] = ['created_at', 'updated_at']

/** The SQL of the order that a page is in. */
export function keyOf({ by, sort }: Pick<PageWanted, 'by' | 'sort'>, scope: ListScope): OrderKey {
  const { column = 'i.id', nullable = false, second } = scope.of.order.columns[by] ?? {}
  const direction = sql.raw(sort)
  const value = sql.ref(column)
  const columns = second === undefined ? sql`${value} as by` : sql`${value} as by, ${sql.ref(second)} as next`
  const join = column.startsWith('rank.') ? rankOf(scope.of) : by === 'updated_at' ? lastChange : undefined
  const last = sql.raw(nullable ? ' nulls last' : '')
  const order = (first: Sql, next: Sql, id: Sql) => {
    const then = second === undefined ? sql`` : sql`, ${next} ${direction} nulls last`
    return sql`order by ${first} ${direction}${last}${then}, ${id} ${direction}`
  }
  const own = (id: Sql) => order(value, sql.ref(second ?? column), id)
  return {
    columns,
    ...(join && { join }),
    values: (alias) =>
      sql.join(['by', ...(second === undefined ? [] : ['next'])].map((name) => sql.ref(`${alias}.${name}`))),
    indexed: ofAll.includes(by),
    order: own(sql.ref('i.id')),
    sorted: (alias) => order(sql.ref(`${alias}.by`), sql.ref(`${alias}.next`), sql.ref(`${alias}.id`)),
    first({ from, where, open, tests }, wanted) {
      const reach = reachOf(wanted)
      const passing = allOf([where, open, ...tests])
      if (join !== undefined) {
        const order = own(sql.ref('rank.id'))
        return sql`select rank.id, ${columns} from (${ranked(scope, from, passing, [column, second])}) rank ${order} limit ${reach}`
      }
      const along = sql`order by ${value} ${direction}, i.id ${direction}`
      const part = (condition: Condition) =>
        tests.length === 0 && !nullable
          ? sql`select i.id, ${columns} from ${from} where ${where} and ${open} and ${condition} ${along} limit ${reach}`
          : // The index alone has what is sorted. So PostgreSQL reads it, and does not sort what it takes for a few items.
            sql`select i.id, ${columns}
              from (select i.id from ${from} where ${where} and ${condition} ${along} offset 0) o
                cross join lateral (${itemWith(scope.of, sql`o.id`)}) i
              where ${allOf([open, ...tests])} limit ${reach}`
      // Read backwards, an index has the rows without a value first, so it has no order with these last.
      return nullable
        ? sql`(${part(sql`${value} is not null`)}) union all (${part(sql`${value} is null`)})`
        : part(yes)
    },
  }
}

const yes: Condition = sql<boolean>`true`

/** The last change of an item; the offset leaves PostgreSQL no other way than to look it up. */
const lastChange = sql`cross join lateral (select nt.updated_at from noteables nt where nt.id = i.id offset 0) nt`

/** The columns of an item that filters and orders read. */
export const columnsOf = ({ columns }: ListedKind): Sql =>
  sql.join(columns.map((column) => sql.ref(`i.${column}`)))

/** A query for the item with an id; the offset leaves PostgreSQL no other way than to look it up. */
export const itemWith = (of: ListedKind, id: Sql): Sql =>
  sql`select ${columnsOf(of)} from ${tablesOf(of).items} i where i.id = ${id} offset 0`

/**
 * Values from other tables, looked up for each item: the priority that the project gives to its most important label, and
 * the due date of its milestone.
 */
const rankOf = (of: ListedKind): Sql => sql`cross join lateral (select
    (select min(r.priority) from ${tablesOf(of).labels} c
      join label_priorities r on r.label_id = c.label_id and r.project_id = i.project_id
      where c.${tablesOf(of).key} = i.id) as label_priority,
    (select m.due_date from milestones m where m.id = i.milestone_id) as milestone_due) rank`

/**
 * The same for all items of a list at once, as a query for `id`, `label_priority` and `milestone_due`, as far as the order
 * goes by them. It groups items with the priorities of their labels. A join of the two can take minutes, when PostgreSQL
 * takes both for small.
 */
function ranked(
  scope: ListScope,
  from: Sql,
  passing: Condition,
  names: readonly (string | undefined)[],
): Sql {
  const byMilestone = names.includes('rank.milestone_due')
  const due = byMilestone ? sql`due.due_date` : sql`null::date`
  const { labels, key } = tablesOf(scope.of)
  const items = sql`select i.id, i.project_id, null::integer as label_priority, true as listed, ${due} as milestone_due
    from ${from} ${byMilestone ? sql`left join milestones due on due.id = i.milestone_id` : sql``} where ${passing}`
  if (!names.includes('rank.label_priority')) return items
  const projects =
    scope.kind === 'project'
      ? sql`r.project_id = ${scope.id}`
      : sql`r.project_id in (select v.id from visible v)`
  return sql`select r.id, min(r.label_priority) as label_priority, max(r.milestone_due) as milestone_due
    from (${items} union all
      select c.${key}, r.project_id, r.priority, false, null
      from label_priorities r join ${labels} c on c.label_id = r.label_id where ${projects}) r
    group by r.id, r.project_id having bool_or(r.listed)`
}
