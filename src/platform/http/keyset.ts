import type { FastifyReply } from 'fastify'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { append } from '#platform/sequences.ts'
import { HttpError } from './errors.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { linkHeader, urlWith } from './links.ts'
import {
  limitOf,
  type ListOrder,
  ordered,
  type PagedRequest,
  rowsOf,
  rowsPerPage,
  type Sort,
} from './order.ts'

/** Where a page starts: after (backwards: before) a row with this value and id. */
interface Cursor {
  readonly value: string | null
  readonly id: number
  readonly backwards: boolean
  readonly by: string
  readonly sort: Sort
}

/** What the query adds to each row, to make cursors from. */
interface Marks {
  readonly cursor_value: string | null
  readonly cursor_id: number
}

/** A row with what cursors are made of. */
export type RowWithMarks<Row> = Row & Marks

/** The part of a list that a keyset page begins with. */
export interface KeysetWanted {
  /** One of the columns of the list's order. */
  readonly by: string
  /** The order in which the rows are read: backwards, it is the opposite of the list's. */
  readonly direction: Sort
  /** The row after which it begins. */
  readonly cursor:
    | { readonly value: string | null; readonly id: number; readonly backwards: boolean }
    | undefined
  /** How many rows to read: one more than the page has. */
  readonly rows: number
}

/**
 * A page that starts where the previous one ended, whatever was inserted or deleted meanwhile ("Pagination" in the
 * specification): only a link to the next page, and cursors for both directions.
 *
 * @throws 405 for orders that the list does not offer, 400 for a cursor that is not one of this list.
 */
export function keysetPage<DB, TB extends keyof DB, Row>(
  request: PagedRequest,
  reply: FastifyReply,
  query: SelectQueryBuilder<DB, TB, Row>,
  order: ListOrder,
): Promise<Row[]> {
  return pageByKeys<Row>(request, reply, order, async ({ by, direction, cursor, rows }) => {
    const { column = order.id } = order.columns[by] ?? {}
    // Read backwards, an index has rows without a value first. Each part has either only such rows or none.
    const marked = ordered(query, order, by, direction, direction === 'asc' ? 'last' : 'first')
      .select([
        sql<string | null>`${sql.ref(column)}::text`.as('cursor_value'),
        sql<number>`${sql.ref(order.id)}`.as('cursor_id'),
      ])
      .limit(limitOf(rows))
    const found: RowWithMarks<Row>[] = []
    for (const part of partsOf(order, by, direction, cursor)) {
      if (found.length >= rows) break
      const rest = part === null ? marked : marked.where(part)
      append(found, await rowsOf<RowWithMarks<Row>>(request.server.db, rest))
    }
    return found
  })
}

/**
 * The same for a list that finds the rows of a page in a way of its own.
 * @param find reads rows in the direction wanted.
 */
export async function pageByKeys<Row>(
  request: PagedRequest,
  reply: FastifyReply,
  order: ListOrder,
  find: (wanted: KeysetWanted) => Promise<RowWithMarks<Row>[]>,
): Promise<RowWithMarks<Row>[]> {
  const { by, sort } = chosenOrder(request, order)
  const perPage = rowsPerPage(request.query)
  const cursor = request.query.cursor === undefined ? undefined : readCursor(request.query.cursor, by, sort)
  const backwards = cursor?.backwards ?? false
  const direction = backwards ? opposite(sort) : sort
  const found = await find({ by, direction, cursor, rows: perPage + 1 })
  const page = found.slice(0, perPage)
  if (backwards) page.reverse()
  const more = found.length > perPage
  const first = page[0]
  const last = page.at(-1)
  const at = (row: Marks, back: boolean) =>
    writeCursor({ value: row.cursor_value, id: row.cursor_id, backwards: back, by, sort })
  const hasNext = backwards || more
  const hasPrevious = cursor !== undefined && (!backwards || more)
  if (last && hasNext) {
    const idFilter =
      order.keyset?.idFilters && by === 'id' ? (sort === 'asc' ? 'id_after' : 'id_before') : undefined
    const next = idFilter ? { [idFilter]: String(last.cursor_id) } : { cursor: at(last, false) }
    const changes = {
      page: undefined,
      per_page: String(perPage),
      pagination: 'keyset',
      order_by: by,
      sort,
      ...next,
    }
    reply.header('link', linkHeader([['next', urlWith(request, changes)]]))
  }
  const grows = order.keyset?.grows ?? false
  // Whoever waits for further rows goes on where they are.
  if (last && (hasNext || grows)) reply.header('x-next-cursor', at(last, false))
  else if (cursor && grows) reply.header('x-next-cursor', writeCursor({ ...cursor, backwards: false }))
  if (first && (hasPrevious || grows)) reply.header('x-prev-cursor', at(first, true))
  return page
}

/** The list, or this order of it, has no keyset pagination. */
export const keysetNotOffered = () =>
  new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' })

function chosenOrder(request: PagedRequest, { keyset }: ListOrder): { by: string; sort: Sort } {
  if (keyset === undefined) throw keysetNotOffered()
  const signedIn = request.viewer.id !== null
  if (keyset.availability === (signedIn ? 'unauthenticated' : 'authenticated')) throw keysetNotOffered()
  const by = request.query.order_by ?? Object.keys(keyset.orders)[0] ?? ''
  const sorts = keyset.orders[by]
  const standard = sorts?.includes('desc') ? 'desc' : 'asc'
  const sort = sorts?.find((offered) => offered === (request.query.sort ?? standard))
  if (sort === undefined) throw keysetNotOffered()
  return { by, sort }
}

type Condition = RawBuilder<boolean>

/**
 * The conditions for the rest in this direction. Rows without a value come last (backwards: first). They are a
 * separate part, because an index finds where either part continues, but not where both do.
 */
function partsOf(
  order: ListOrder,
  by: string,
  direction: Sort,
  cursor: KeysetWanted['cursor'],
): (Condition | null)[] {
  const { column = order.id, nullable } = order.columns[by] ?? {}
  const value = sql.ref(column)
  const id = sql.ref(order.id)
  const after = sql.raw(direction === 'asc' ? '>' : '<')
  if (!nullable) {
    if (cursor === undefined) return [null]
    if (column === order.id) return [sql<boolean>`${id} ${after} ${cursor.id}`]
    return [sql<boolean>`(${value}, ${id}) ${after} (${cursor.value}, ${cursor.id})`]
  }
  const without = sql<boolean>`${value} is null`
  const having = sql<boolean>`${value} is not null`
  if (cursor === undefined) return [having, without]
  if (cursor.value === null) {
    const rest = sql<boolean>`(${without} and ${id} ${after} ${cursor.id})`
    return cursor.backwards ? [rest, having] : [rest]
  }
  const rest = sql<boolean>`(${value}, ${id}) ${after} (${cursor.value}, ${cursor.id})`
  return cursor.backwards ? [rest] : [rest, without]
}

const opposite = (sort: Sort): Sort => (sort === 'asc' ? 'desc' : 'asc')

function writeCursor({ value, id, backwards, by, sort }: Cursor): string {
  return Buffer.from(JSON.stringify([value, id, backwards ? 'p' : 'n', by, sort])).toString('base64url')
}

function readCursor(given: string, by: string, sort: Sort): Cursor {
  const refuse = () => invalidParameters([{ name: 'cursor', text: 'is invalid', missing: false }])
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(given, 'base64url').toString('utf8'))
  } catch {
    throw refuse()
  }
  if (!Array.isArray(parts)) throw refuse()
  const [value, id, way, ofColumn, ofSort]: readonly unknown[] = parts
  const fits = ofColumn === by && ofSort === sort && (way === 'n' || way === 'p')
  if (!fits || !Number.isSafeInteger(id) || typeof id !== 'number') throw refuse()
  if (value !== null && (typeof value !== 'string' || value.includes('\0'))) throw refuse()
  return { value, id, backwards: way === 'p', by, sort }
}
