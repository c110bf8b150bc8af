import type { FastifyReply } from 'fastify'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import { HttpError } from './errors.ts'
import { keysetPage } from './keyset.ts'
import { linkHeader, urlsOf } from './links.ts'
import {
  askedOrder,
  limitOf,
  type ListOrder,
  MAX_PER_PAGE,
  ordered,
  type PagedRequest,
  rowsOf,
} from './order.ts'

/** Beyond this many rows nobody counts: totals and the last page are left out ("Limits"). */
const MAX_TOTAL = 10_000

/**
 * Runs a list query for the asked page and sets the pagination headers; knows nothing of the resource.
 * One statement: the rows and, for offset pages, the bounded total.
 *
 * @param query filtered, without order and limit.
 * @throws 405 past the offset limit and for keyset orders that are not offered.
 */
export async function paginate<DB, TB extends keyof DB, Row>(
  request: PagedRequest,
  reply: FastifyReply,
  query: SelectQueryBuilder<DB, TB, Row>,
  order: ListOrder,
): Promise<Row[]> {
  if (request.query.pagination === 'keyset') return keysetPage(request, reply, query, order)
  const { page } = request.query
  const { by, sort } = askedOrder(request.query, order)
  const perPage = Math.min(request.query.per_page, MAX_PER_PAGE)
  demandOffsetWithin(request, order, page * perPage)
  const offset = (page - 1) * perPage
  const matching = query
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(sql.lit(MAX_TOTAL + 1))
  const total = sql<number>`(select count(*) from ${matching} as matching)`
  const { db } = request.server
  const found = await rowsOf<Row & { total_count: number }>(
    db,
    ordered(query, order, by, sort)
      .select(total.as('total_count'))
      .limit(limitOf(perPage + 1))
      // An unknown offset would keep PostgreSQL from reusing its plan of the first page, which most requests ask for.
      .$if(offset > 0, (q) => q.offset(offset)),
  )
  const count = found[0]?.total_count ?? (offset === 0 ? 0 : await countAlone(db, query))
  const rows: Row[] = found.slice(0, perPage)
  setHeaders(request, reply, { page, perPage, hasNext: found.length > perPage, total: count })
  return rows
}

/** Only for a page past the end, which has no row to carry the total. */
async function countAlone<DB, TB extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, TB, Row>,
): Promise<number> {
  const counting = query.clearSelect().select(sql<number>`count(*)`.as('total'))
  const [counted] = await rowsOf<{ total: number }>(db, counting)
  return counted?.total ?? 0
}

function demandOffsetWithin(request: PagedRequest, order: ListOrder, rows: number): void {
  const limit = request.server.services.settings().offset_pagination_limit
  if (order.keyset === undefined || limit === 0 || rows <= limit) return
  throw new HttpError(405, {
    error:
      `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type ` +
      `${order.of}. Remaining records can be retrieved using keyset pagination.`,
  })
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
  const urlWith = urlsOf(request)
  const at = (number: number) => urlWith({ page: String(number), per_page: String(perPage) })
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
