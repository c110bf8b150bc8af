import type { FastifyReply } from 'fastify'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import type { Shaped } from '#db/prepare.ts'
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
 * @param list the query, filtered, without order and limit; or one that is prepared for its shapes.
 * @throws 405 past the offset limit and for keyset orders that are not offered.
 */
export async function paginate<DB, TB extends keyof DB, Row>(
  request: PagedRequest,
  reply: FastifyReply,
  list: SelectQueryBuilder<DB, TB, Row> | Shaped<SelectQueryBuilder<DB, TB, Row>>,
  order: ListOrder,
): Promise<Row[]> {
  const query = () => ('run' in list ? list.query() : list)
  if (request.query.pagination === 'keyset') return keysetPage(request, reply, query(), order)
  const { page } = request.query
  const { by, sort } = askedOrder(request.query, order)
  const perPage = Math.min(request.query.per_page, MAX_PER_PAGE)
  demandOffsetWithin(request, order, page * perPage)
  const offset = (page - 1) * perPage
  const { db } = request.server
  const limit = limitOf(perPage + 1)
  const onPage = (rows: SelectQueryBuilder<DB, TB, Row>) =>
    ordered(rows, order, by, sort).select(totalOf(rows).as('total_count')).limit(limit)
  // The first page, in the sizes that most clients ask for, has a text of its own that can be kept; an unknown offset
  // would also keep PostgreSQL from reusing its plan.
  const found: (Row & Counted)[] =
    'run' in list && offset === 0 && typeof limit !== 'number'
      ? await list.run(db, `${by} ${sort} ${perPage}`, onPage)
      : await rowsOf(
          db,
          onPage(query()).$if(offset > 0, (q) => q.offset(offset)),
        )
  const count = found[0]?.total_count ?? (offset === 0 ? 0 : await countAlone(db, query()))
  const rows: Row[] = found.slice(0, perPage)
  setHeaders(request, reply, { page, perPage, hasNext: found.length > perPage, total: count })
  return rows
}

interface Counted {
  readonly total_count: number
}

/** A page of a list that has nothing yet, with the headers that every list has. */
export function paginateNothing(request: PagedRequest, reply: FastifyReply): never[] {
  const { page, per_page } = request.query
  const perPage = Math.min(per_page, MAX_PER_PAGE)
  setHeaders(request, reply, { page, perPage, hasNext: false, total: 0 })
  return []
}

/** How many rows there are, as far as anybody counts. */
function totalOf<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): RawBuilder<number> {
  const matching = query
    .clearSelect()
    .select(sql`1`.as('one'))
    .limit(sql.lit(MAX_TOTAL + 1))
  return sql<number>`(select count(*) from ${matching} as matching)`
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
