import type { FastifyRequest } from 'fastify'
import { type Compilable, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type TProperties, Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { StatementCache } from '#platform/db/statement.ts'
import { oneOf, text } from './schema.ts'

const MAX_PER_PAGE = 100

/** The maximum length of a cursor in characters: longer than one with the longest title in it. */
const MAX_CURSOR = 4_096

/**
 * The orders of a list. One declaration gives the `order_by` values, the ORDER BY with the id as tie-break, and the
 * orders of keyset pagination.
 */
export interface ListOrder {
  /** The name of the resource in refusals: `requests that return objects of type <of>`. */
  readonly of: string
  /** The column that makes rows unique. */
  readonly id: string
  /** `order_by` value → column. */
  readonly columns: Readonly<Record<string, Column>>
  readonly by: string
  readonly sort: Sort
  readonly keyset?: Keyset
  /** The statements for its first pages, of a list that is requested often. */
  readonly statements?: StatementCache
}

export type Sort = 'asc' | 'desc'

export interface Column {
  readonly column: string
  /** Rows without a value come last, in both directions. */
  readonly nullable?: true
  /** The query selects it under this name; it is not a column of a table. */
  readonly selected?: true
  /** Orders rows with the same value, in the same direction; rows without a second value come last. */
  readonly second?: string
}

export interface Keyset {
  /** The `order_by` values on offer, with their directions. The first one is the default. */
  readonly orders: Readonly<Record<string, readonly Sort[]>>
  readonly availability: 'authenticated' | 'unauthenticated' | 'both'
  /** Orders by id continue with `id_after` and `id_before` instead of a cursor. */
  readonly idFilters?: true
  /** Clients wait for further rows, so the last page has a cursor, too, and the first one that of what comes before it. */
  readonly grows?: true
}

/** The parameters of every list. */
export const pageParameters = {
  page: Type.Integer({
    maximum: 2 ** 31,
    default: 1,
    description: 'The number of the page, from 1. Smaller numbers mean 1.',
  }),
  per_page: Type.Integer({ minimum: 1, default: 20, description: 'Rows on a page, at most 100.' }),
  pagination: Type.Optional(
    oneOf(['keyset', 'offset', 'legacy'], {
      description: '`keyset` for keyset pagination; 405 if the list does not offer it.',
    }),
  ),
} satisfies TProperties

/**
 * The same with `order_by` and `sort` for a list with several orders, and with keyset pagination where it is offered.
 */
export const orderParameters = (order: ListOrder) => ({
  ...pageParameters,
  order_by: Type.Optional(
    oneOf(Object.keys(order.columns), {
      description: `The column to order by; \`${order.by}\` by default.`,
    }),
  ),
  sort: Type.Optional(oneOf<Sort>(['asc', 'desc'], { description: `\`${order.sort}\` by default.` })),
  cursor: Type.Optional(text({ max: MAX_CURSOR, description: 'The cursor from the link to the next page.' })),
})

/** For lists that take column and direction in one word: `sort=created_desc`. */
export const sortParameters = (order: ListOrder) => ({
  ...pageParameters,
  sort: Type.Optional(
    oneOf(
      Object.keys(order.columns).flatMap((name) => [`${name}_asc`, `${name}_desc`]),
      { description: `The column and direction to order by; \`${order.by}_${order.sort}\` by default.` },
    ),
  ),
})

export interface PageQuery {
  readonly page: number
  readonly per_page: number
  readonly order_by?: string
  /** A direction, or a column and a direction as {@link sortParameters} has them. */
  readonly sort?: string
  readonly pagination?: string
  readonly cursor?: string
}

/** What the lists of resources need of a request. */
export type ListRequest = PagedRequest &
  Pick<FastifyRequest, 'method' | 'site' | 'sshSite' | 'authorizedProject' | 'authorizedGroup'>

/** The same request with the query that a list knows, for a route that has another one, such as a search. */
export function withQuery<Query extends PageQuery>(
  request: ListRequest,
  query: Query,
): Omit<ListRequest, 'query'> & { readonly query: Query } {
  const { raw, protocol, host, server, viewer, method, site, sshSite } = request
  const { authorizedProject, authorizedGroup } = request
  const of = { authorizedProject, authorizedGroup }
  return { raw, protocol, host, server, viewer, method, site, sshSite, ...of, query }
}

/** The maximum number of rows on the requested page. */
export const rowsPerPage = ({ per_page }: Pick<PageQuery, 'per_page'>): number =>
  Math.min(per_page, MAX_PER_PAGE)

export type PagedRequest = Pick<FastifyRequest, 'raw' | 'protocol' | 'host' | 'server' | 'viewer'> & {
  readonly query: PageQuery
}

/** The column and direction that a request names, or else the defaults of the list. */
export function requestedOrder({ order_by, sort }: PageQuery, order: ListOrder): { by: string; sort: Sort } {
  if (sort === undefined) return { by: order_by ?? order.by, sort: order.sort }
  const { column = order_by ?? order.by, direction = order.sort } =
    /^(?:(?<column>\w+)_)?(?<direction>asc|desc)$/.exec(sort)?.groups ?? {}
  return { by: column, sort: direction === 'asc' ? 'asc' : 'desc' }
}

/** Applies an order with the id as tie-break in the same direction; rows without a value come last. */
export function ordered<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  order: ListOrder,
  by: string,
  sort: Sort,
  nulls: 'first' | 'last' = 'last',
): SelectQueryBuilder<DB, TB, Row> {
  const { column = order.id, nullable, second } = order.columns[by] ?? {}
  const first = query
    .orderBy(sql`${sql.ref(column)} ${sql.raw(nullable ? `${sort} nulls ${nulls}` : sort)}`)
    .$if(second !== undefined, (q) =>
      q.orderBy(sql`${sql.ref(second ?? '')} ${sql.raw(`${sort} nulls ${nulls}`)}`),
    )
  return column === order.id ? first : first.orderBy(sql`${sql.ref(order.id)} ${sql.raw(sort)}`)
}

/** The page sizes that most clients request, plus the row that shows whether there is a next page. */
const COMMON_LIMITS = new Set([21, 51, 101])

/**
 * Makes common limits part of the text. For an unknown limit, PostgreSQL plans a prepared statement as if it returned
 * a tenth of all rows.
 */
export function limitOf(rows: number): number | RawBuilder<number> {
  return COMMON_LIMITS.has(rows) ? sql.lit(rows) : rows
}

/** Runs a query that got further columns generically, which Kysely's types cannot follow. */
export async function rowsOf<Row>(db: Db, query: Compilable): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(query.compile())
  return rows
}
