import type { FastifyReply } from 'fastify'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { BoundStatement } from '#platform/db/statement.ts'
import { HttpError } from './errors.ts'
import { invalidParameters, type Refusal } from '#platform/refusals.ts'
import { keysetNotOffered, keysetPage } from './keyset.ts'
import { linkHeader, urlWith } from './links.ts'
import {
  requestedOrder,
  limitOf,
  type ListOrder,
  ordered,
  type PagedRequest,
  rowsOf,
  rowsPerPage,
  type Sort,
} from './order.ts'

/** Rows beyond this number are not counted: totals and the last page are omitted ("Limits"). */
const MAX_TOTAL = 10_000

/** Counts stop here; it means this many or more. */
export const COUNTED = MAX_TOTAL + 1

/**
 * From this offset on, a page first finds the ids of its rows, so that nothing else is computed for the skipped rows.
 */
export const DEEP = 500

/** The rows of a page, as a list is asked for them. */
export interface PageWanted {
  /** One of the columns of the list's order. */
  readonly by: string
  readonly sort: Sort
  readonly limit: number | RawBuilder<number>
  readonly offset: number
  /** Whether the list is known to have {@link COUNTED} rows or more, so that they need not be counted. */
  readonly isLong?: boolean
}

/** The ids of a page in their order, and how many rows the list has, up to {@link COUNTED}. */
export interface PageOfIds {
  readonly ids: readonly number[]
  readonly total: number
}

/** A list that finds the ids of a page in a way of its own, and then reads the rows of these ids. */
export interface ListByIds<Row> {
  find(wanted: PageWanted): Promise<PageOfIds>
  /** How many rows there are, up to {@link COUNTED}. */
  count(): Promise<number>
  /** Finds the keyset page that is asked for (keyset.ts). */
  findByKeys(): Promise<readonly { readonly id: number }[]>
  /** Reads rows in the order of their ids. Rows that were hidden or deleted meanwhile are missing. */
  read(ids: readonly number[]): Promise<Row[]>
}

/**
 * Runs a list query for the requested page and sets the pagination headers. It knows nothing of the resource. One
 * statement reads the rows and, for offset pages, the bounded total.
 *
 * @param list the query, filtered, without order and limit; or a statement of it.
 * @throws 405 for keyset orders that are not offered, and as {@link isWithinReach} does.
 */
export async function paginate<DB, TB extends keyof DB, Row>(
  request: PagedRequest,
  reply: FastifyReply,
  list: SelectQueryBuilder<DB, TB, Row> | BoundStatement<SelectQueryBuilder<DB, TB, Row>>,
  order: ListOrder,
): Promise<Row[]> {
  const { db } = request.server
  const query = () => ('run' in list ? list.query(db) : list)
  if (request.query.pagination === 'keyset') return keysetPage(request, reply, query(), order)
  const page = Math.max(1, request.query.page)
  const perPage = rowsPerPage(request.query)
  const count = () => countUpTo(db, query())
  const found = (await isWithinReach(request, count, order, page * perPage))
    ? await rowsAt(request, list, order, { offset: (page - 1) * perPage, perPage })
    : []
  const total = found[0]?.total_count ?? (page === 1 ? 0 : await count())
  if (total >= COUNTED) longListsOf(request).note(request)
  const rows: Row[] = found.slice(0, perPage)
  setHeaders(request, reply, { page, perPage, hasNext: found.length > perPage, total })
  return rows
}

/** The same for a list that finds ids first. */
export async function paginateIds<Row>(
  request: PagedRequest,
  reply: FastifyReply,
  list: ListByIds<Row>,
  order: ListOrder,
): Promise<Row[]> {
  if (request.query.pagination === 'keyset') {
    const found = await list.findByKeys()
    return list.read(found.map(({ id }) => id))
  }
  const page = Math.max(1, request.query.page)
  const perPage = rowsPerPage(request.query)
  const wanted = {
    ...requestedOrder(request.query, order),
    limit: limitOf(perPage + 1),
    offset: (page - 1) * perPage,
    isLong: longListsOf(request).isLong(request),
  }
  const { ids, total } = (await isWithinReach(request, () => list.count(), order, page * perPage))
    ? await list.find(wanted)
    : { ids: [], total: await list.count() }
  if (total >= COUNTED) longListsOf(request).note(request)
  setHeaders(request, reply, { page, perPage, hasNext: ids.length > perPage, total })
  return ids.length === 0 ? [] : list.read(ids.slice(0, perPage))
}

const longListsOf = ({ server }: PagedRequest) => server.services.longLists

interface Counted {
  readonly total_count: number
}

/** The rows of a list that a page needs, from 0. */
export interface PageRange {
  readonly skip: number
  readonly limit: number
}

export interface RangeOfRows<Row> {
  readonly rows: readonly Row[]
  /** How many rows the list has; undefined when nobody knows. More than 10,000 need not be exact. */
  readonly total?: number | undefined
}

/**
 * The same for a list whose rows are not in the database, such as commits.
 *
 * @param read returns at most `limit` rows; it is asked for one more than the page has.
 * @param keyset the name of the resource if the list also offers keyset pagination, which its route does itself.
 */
export async function paginateFrom<Row>(
  request: PagedRequest,
  reply: FastifyReply,
  read: (range: PageRange) => Promise<RangeOfRows<Row>>,
  keyset?: { readonly of: string },
): Promise<Row[]> {
  if (request.query.pagination === 'keyset') throw keysetNotOffered()
  const page = Math.max(1, request.query.page)
  const perPage = rowsPerPage(request.query)
  const most = request.server.services.settings().offset_pagination_limit
  const isTooFar = most > 0 && page * perPage > most
  if (isTooFar && keyset !== undefined) throw offsetTooLarge(most, keyset.of)
  const range = isTooFar ? { skip: most, limit: 1 } : { skip: (page - 1) * perPage, limit: perPage + 1 }
  const { rows, total = Infinity } = await read(range)
  if (isTooFar && rows.length > 0) throw pageTooLarge(most)
  setHeaders(request, reply, { page, perPage, hasNext: rows.length > perPage, total })
  return rows.slice(0, perPage)
}

/** The same for a list that is in memory. */
export function paginateRows<Row>(
  request: PagedRequest,
  reply: FastifyReply,
  all: readonly Row[],
): Promise<Row[]> {
  return paginateFrom(request, reply, async ({ skip, limit }) => ({
    rows: all.slice(skip, skip + limit),
    total: all.length,
  }))
}

/** A page of a list that has nothing yet, with the headers that every list has. */
export function paginateNothing(request: PagedRequest, reply: FastifyReply): never[] {
  const page = Math.max(1, request.query.page)
  const perPage = rowsPerPage(request.query)
  setHeaders(request, reply, { page, perPage, hasNext: false, total: 0 })
  return []
}

/** The rows of a page and the one after them, with the total. */
async function rowsAt<DB, TB extends keyof DB, Row>(
  request: PagedRequest,
  list: SelectQueryBuilder<DB, TB, Row> | BoundStatement<SelectQueryBuilder<DB, TB, Row>>,
  order: ListOrder,
  { offset, perPage }: { readonly offset: number; readonly perPage: number },
): Promise<(Row & Counted)[]> {
  const { db } = request.server
  const { by, sort } = requestedOrder(request.query, order)
  const limit = limitOf(perPage + 1)
  const long = longListsOf(request).isLong(request)
  const total = (rows: SelectQueryBuilder<DB, TB, Row>) =>
    long ? sql<number>`${sql.lit(COUNTED)}` : boundedCount(rows)
  const onPage = (rows: SelectQueryBuilder<DB, TB, Row>, counted = rows) =>
    ordered(rows, order, by, sort).select(total(counted).as('total_count')).limit(limit)
  // The first page, in the common sizes, has its own text that can be kept. An unknown offset would also keep
  // PostgreSQL from reusing its plan.
  if ('run' in list && offset === 0 && typeof limit !== 'number') {
    return list.run<Row & Counted>(db, `${by} ${sort} ${perPage} ${long}`, onPage)
  }
  const rows = 'run' in list ? list.query(db) : list
  if (offset === 0) {
    const { statements } = order
    const isCommon = typeof limit !== 'number'
    return isCommon && statements !== undefined
      ? statements.run<Row & Counted>(db, onPage(rows))
      : rowsOf(db, onPage(rows))
  }
  if (offset < DEEP || order.columns[by]?.selected) {
    return rowsOf(db, onPage(rows).offset(offset))
  }
  const ids = ordered(rows.clearSelect(), order, by, sort)
    .select(sql`${sql.ref(order.id)}`.as('id'))
    .limit(limit)
    .offset(offset)
  return rowsOf(db, onPage(rows.where(sql<boolean>`${sql.ref(order.id)} = any(array(${ids}))`), rows))
}

/** The bounded number of rows of a query, as a column for another query. */
export function boundedCount<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
): RawBuilder<number> {
  const matching = query
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(sql.lit(COUNTED))
  return sql<number>`(select count(*) from ${matching} as matching)`
}

/** The same as a statement of its own, for a page past the end: it has no row to carry the total. */
async function countUpTo<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select ${boundedCount(query)} as total`.execute(db)
  return rows[0]?.total ?? 0
}

/**
 * Whether a page ends within `offset_pagination_limit`. Beyond it no row is read. A list that is known to be shorter
 * simply has no such page.
 * @throws 405 where keyset pagination is offered, else 400 when there may be rows that far.
 */
async function isWithinReach(
  { server }: PagedRequest,
  count: () => Promise<number>,
  order: ListOrder,
  rows: number,
): Promise<boolean> {
  const limit = server.services.settings().offset_pagination_limit
  if (limit === 0 || rows <= limit) return true
  if (order.keyset !== undefined) throw offsetTooLarge(limit, order.of)
  if ((await count()) <= MAX_TOTAL) return false
  throw pageTooLarge(limit)
}

const offsetTooLarge = (limit: number, of: string) =>
  new HttpError(405, {
    error:
      `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type ` +
      `${of}. Remaining records can be retrieved using keyset pagination.`,
  })

function pageTooLarge(limit: number): Refusal {
  const text = `is too large: the pages of this list end at row ${limit}, filter it to see others`
  return invalidParameters([{ name: 'page', text, missing: false }])
}

interface PageFacts {
  readonly page: number
  readonly perPage: number
  readonly hasNext: boolean
  readonly total: number
}

function setHeaders(
  request: PagedRequest,
  reply: FastifyReply,
  { page, perPage, hasNext, total }: PageFacts,
): void {
  const known = total <= MAX_TOTAL
  const pages = Math.max(1, Math.ceil(total / perPage))
  const previous = page > 1 && (!known || page - 1 <= pages) ? page - 1 : undefined
  const others = urlWith(request, { page: undefined, per_page: undefined })
  const start = others.endsWith('?') ? others : `${others}&`
  const at = (number: number) => `${start}page=${number}&per_page=${perPage}`
  const links: [string, string][] = []
  if (previous !== undefined) links.push(['prev', at(previous)])
  if (hasNext) links.push(['next', at(page + 1)])
  links.push(['first', at(1)])
  if (known) links.push(['last', at(pages)])
  reply.headers({
    link: linkHeader(links),
    'x-page': String(page),
    'x-per-page': String(perPage),
    'x-next-page': hasNext ? String(page + 1) : '',
    'x-prev-page': previous === undefined ? '' : String(previous),
    ...(known ? { 'x-total': String(total), 'x-total-pages': String(pages) } : {}),
  })
}
