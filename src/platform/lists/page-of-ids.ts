import { type RawBuilder, sql } from 'kysely'
import { COUNTED, type PageOfIds, type PageWanted } from '#platform/http/pagination.ts'

/**
 * How lists of many rows find the ids of a page, and how many rows there are. There are two ways, and the statement chooses by
 * what it finds, because PostgreSQL would choose by its statistics (docs/decisions/0017-lists-of-issues.md):
 *
 * - {@link Few}: an index leads to few rows. All of them are found and sorted.
 * - {@link Walk}: when more than totals count turn up, or no index leads to few, the index of the order is walked until the
 *   page is full. Where rows are in several places, each place gives its first rows, and these are merged.
 */

type Sql = RawBuilder<unknown>

/** All rows that pass, as far as totals count. */
export interface Matched {
  /** Table expressions, the last of which is `matched`. */
  readonly tables: Sql
  /** Whether `matched` has all rows that pass. */
  readonly isAll: Sql
}

export interface Few extends Matched {
  /** A query for the ids of the page, of `matched`. */
  readonly page: Sql
}

/** The way along the index of an order. */
export interface Walk {
  /** How many rows pass. */
  readonly total: Sql
  /** A query for the ids of the page. */
  readonly page: Sql
}

/**
 * The statement for a page. A page that is not full tells how many rows there are, so that nothing is counted for it.
 * @param tables further table expressions, each followed by a comma.
 */
export function pageOfIds(
  tables: Sql,
  few: Few | undefined,
  walk: Walk,
  { limit, offset }: Pick<PageWanted, 'limit' | 'offset'>,
): RawBuilder<PageOfIds> {
  if (few === undefined) {
    const isLast = sql`cardinality(p.ids) between ${sql.lit(offset === 0 ? 0 : 1)} and ${limit}::integer - 1`
    const rows =
      offset === 0
        ? sql`cardinality(p.ids)`
        : sql`least(${offset}::bigint + cardinality(p.ids), ${sql.lit(COUNTED)})`
    return sql<PageOfIds>`with recursive ${tables}${LAST}
      select case when ${isLast} then ${rows} else (${walk.total}) end as total, p.ids
        from (select array(${walk.page}) as ids offset 0) p`
  }
  return sql<PageOfIds>`with recursive ${tables}${few.tables} select ${totalOf(few, walk.total)} as total,
    case when ${few.isAll} then array(${few.page}) else array(${walk.page}) end as ids`
}

/** The statement for the total alone. */
export function totalOfIds(
  tables: Sql,
  few: Matched | undefined,
  total: Sql,
): RawBuilder<{ readonly total: number }> {
  return few === undefined
    ? sql`with recursive ${tables}${LAST} select (${total}) as total`
    : sql`with recursive ${tables}${few.tables} select ${totalOf(few, total)} as total`
}

const totalOf = ({ isAll }: Matched, total: Sql): Sql =>
  sql`case when ${isAll} then (select count(*) from matched) else (${total}) end`

/** Ends a list of table expressions, whether there are others or not. */
export const LAST = sql`nothing as (select 1)`

/** How many rows a query has, up to the limit of totals. */
export const countedTo = (rows: Sql): Sql =>
  sql`select count(*) from (${rows} limit ${sql.lit(COUNTED)}) counted`

/** The rows of the page, of all in their order. */
export const pageOf = ({ limit, offset }: Pick<PageWanted, 'limit' | 'offset'>): Sql =>
  offset === 0 ? sql`limit ${limit}` : sql`limit ${limit} offset ${offset}`

/** How many rows each of several places gives at most, so that the page is among them. */
export const reachOf = ({ limit, offset }: Pick<PageWanted, 'limit' | 'offset'>): RawBuilder<number> =>
  offset === 0 ? sql<number>`${limit}` : sql<number>`${limit}::bigint + ${offset}::bigint`
