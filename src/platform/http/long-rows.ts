import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Operand } from '#platform/db/statement.ts'
import { type PageQuery, rowsPerPage } from './order.ts'

/**
 * Answers with lists whose rows hold long texts. A list is read without the texts that are too long for it. When
 * these are few, they are fetched and the answer is like any other. When they are many, the answer is a stream: the
 * texts are fetched in slices, as fast as the client reads. So neither their number nor a slow client fills the
 * memory or occupies a database connection.
 */

/** Bytes of long texts that an answer holds in memory at once. A slice has at least one row, though. */
const SLICE = 1024 * 1024

/** The longest text in bytes that the list itself reads for a row: the total for the page divided among its rows. */
export const inlineBytes = (query: Pick<PageQuery, 'per_page'> = { per_page: 100 }): number =>
  Math.floor(SLICE / rowsPerPage(query))

/** A column of text, blank where it has more bytes than `longest`; undefined omits nothing. */
export function shortened(column: string, longest: Operand<number> | undefined): RawBuilder<string> {
  const text = sql.ref<string>(column)
  // The length is in the row itself, so an omitted text is never read.
  return longest === undefined
    ? sql<string>`${text}`
    : sql<string>`case when octet_length(${text}) > ${longest} then '' else ${text} end`
}

/** How many bytes {@link shortened} omits; null for none. */
export function leftOut(column: string, longest: Operand<number> | undefined): RawBuilder<number | null> {
  const bytes = sql`octet_length(${sql.ref(column)})`
  return longest === undefined
    ? sql<number | null>`null::integer`
    : sql<number | null>`case when ${bytes} > ${longest} then ${bytes} end`
}

/** Rows in their order, read without their longest texts. */
export interface LongRows<Row extends { readonly id: number }> {
  readonly rows: readonly Row[]
  /** Reads the rows after those, when there are too many to read at once. */
  readonly more?: (() => AsyncIterable<readonly Row[]>) | undefined
  /** The bytes of the texts that a row was read without. */
  readonly lacks: (row: Row) => number
  /** Reads the rows with these ids with all their texts, as far as they still exist and may be seen. */
  readonly whole: (ids: readonly number[]) => Promise<readonly Row[]>
}

type Serialize = (value: unknown) => string

/** Turns slices of rows into the text of an answer, piece by piece. */
export type Write<Row> = (
  slices: AsyncIterable<readonly Row[]>,
  serialize: Serialize,
) => AsyncIterable<string>

/**
 * Answers with rows that may be long.
 * @param present turns rows into what the answer shows.
 * @param write writes an answer that is too long to be made at once; by default as an array.
 */
export async function sendLong<Row extends { readonly id: number }, Shown>(
  request: Pick<FastifyRequest, 'method'>,
  reply: FastifyReply,
  long: LongRows<Row>,
  present: (rows: readonly Row[]) => Shown | Promise<Shown>,
  write: Write<Row> = asArray(present),
): Promise<Shown | void> {
  const lacking = long.rows.reduce((bytes, row) => bytes + long.lacks(row), 0)
  if (long.more === undefined && lacking <= SLICE) {
    return present(lacking === 0 ? long.rows : await completed(long.rows, long))
  }
  const serialize = (value: unknown) => {
    const text = reply.serialize(value)
    if (typeof text !== 'string') throw new Error('This route answers with something else than JSON')
    return text
  }
  // A HEAD has no body, so nothing is fetched for it.
  const text = request.method === 'HEAD' ? [] : write(slicesOf(long), serialize)
  return reply.type('application/json').send(Readable.from(text))
}

/** All rows with all their texts. Each slice is read when it is needed. */
async function* slicesOf<Row extends { readonly id: number }>(
  long: LongRows<Row>,
): AsyncIterable<readonly Row[]> {
  yield* slicesIn(long.rows, long)
  if (long.more === undefined) return
  for await (const rows of long.more()) yield* slicesIn(rows, long)
}

async function* slicesIn<Row extends { readonly id: number }>(
  rows: readonly Row[],
  long: LongRows<Row>,
): AsyncIterable<readonly Row[]> {
  let [start, bytes] = [0, 0]
  for (const [index, row] of rows.entries()) {
    const lacking = long.lacks(row)
    if (bytes + lacking > SLICE && index > start) {
      yield await completed(rows.slice(start, index), long)
      start = index
      bytes = 0
    }
    bytes += lacking
  }
  if (start < rows.length) yield await completed(rows.slice(start), long)
}

/** These rows with all their texts, without those that were deleted meanwhile. */
async function completed<Row extends { readonly id: number }>(
  rows: readonly Row[],
  { lacks, whole }: LongRows<Row>,
): Promise<readonly Row[]> {
  const lacking = rows.filter((row) => lacks(row) > 0).map(({ id }) => id)
  if (lacking.length === 0) return rows
  const found = new Map((await whole(lacking)).map((row) => [row.id, row]))
  return rows.flatMap((row) => (lacks(row) > 0 ? (found.get(row.id) ?? []) : row))
}

/** The text of an array whose elements `present` makes. */
function asArray<Row>(present: (rows: readonly Row[]) => unknown): Write<Row> {
  return async function* (slices, serialize) {
    let opening = '['
    for await (const rows of slices) {
      if (rows.length === 0) continue
      yield opening + serialize(await present(rows)).slice(1, -1)
      opening = ','
    }
    yield opening === '[' ? '[]' : ']'
  }
}
