import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import { invalidParameters } from '#platform/refusals.ts'
import type { KeysetWanted, RowWithMarks } from '#platform/http/keyset.ts'
import { limitOf, type ListOrder, type Sort } from '#platform/http/order.ts'
import { COUNTED, type PageOfIds, type PageWanted } from '#platform/http/pagination.ts'
import { onlyOne } from '#platform/sequences.ts'
import { type Feed, streams } from './feed.ts'
import { openTo } from './open-to.ts'

type Sql = RawBuilder<unknown>

/** By the time, newest first. */
export const eventOrder: ListOrder = {
  of: 'Event',
  id: 'e.id',
  columns: { created_at: { column: 'e.created_at' } },
  by: 'created_at',
  sort: 'desc',
  keyset: { orders: { created_at: ['desc', 'asc'] }, availability: 'authenticated', grows: true },
}

/** Each part finds its rows by an index whatever the values are, and planning takes longer than running. */
const cache = new StatementCache({ name: 'ids of events', max: 64, plan: 'generic' })

/** Finds a page of a feed, and how many events it has. */
export async function findEvents(
  db: Db,
  feed: Feed,
  { sort, limit, offset, isLong }: PageWanted,
): Promise<PageOfIds> {
  const reach = offset === 0 ? sql`${limit}` : sql`${limit}::bigint + ${offset}::bigint`
  const page = sql`select f.id from (${first(feed, { by: 'created_at', sort, rows: reach })}) f
    ${along('f', 'by', sort)} limit ${limit} ${offset === 0 ? sql`` : sql`offset ${offset}`}`
  const total = isLong ? sql.lit(COUNTED) : count(feed)
  return onlyOne(await run<PageOfIds>(db, feed, sql`select (${total}) as total, array(${page}) as ids`))
}

/** How many events a feed has, up to {@link COUNTED}. */
export async function countEvents(db: Db, feed: Feed): Promise<number> {
  const [found] = await run<{ total: number }>(db, feed, sql`select (${count(feed)}) as total`)
  return found?.total ?? 0
}

/**
 * Finds a page by keys. It is in the order of the transactions that wrote events, and ends where the oldest transaction begins
 * that still runs: whatever that writes comes later in this order, so a cursor passes nothing by.
 */
export async function findEventsByKeys(
  db: Db,
  feed: Feed,
  { direction, cursor, rows }: KeysetWanted,
): Promise<RowWithMarks<{ readonly id: number }>[]> {
  const limit = limitOf(rows)
  const within = sql<boolean>`e.xact_id < pg_snapshot_xmin(pg_current_snapshot()) ${rest(cursor, direction)}`
  const page = sql`select f.id, f.by::text as cursor_value, f.id as cursor_id
    from (${first(feed, { by: 'xact_id', sort: direction, rows: sql`${limit}`, within })}) f
    ${along('f', 'by', direction)} limit ${limit}`
  return run<RowWithMarks<{ readonly id: number }>>(db, feed, page)
}

/** A transaction id has 64 bits. */
const XACT_ID = /^\d{1,19}$/

/** The condition for the events after a cursor. @throws 400 for a cursor of something else */
function rest(cursor: KeysetWanted['cursor'], direction: Sort): Sql {
  if (cursor === undefined) return sql``
  const { value, id } = cursor
  if (value === null || !XACT_ID.test(value))
    throw invalidParameters([{ name: 'cursor', text: 'is invalid', missing: false }])
  const after = sql.raw(direction === 'asc' ? '>' : '<')
  return sql`and (e.xact_id, e.id) ${after} (${value}::text::xid8, ${id}::bigint)`
}

interface First {
  readonly by: 'created_at' | 'xact_id'
  readonly sort: Sort
  readonly rows: Sql
  readonly within?: RawBuilder<boolean>
}

/**
 * The first events of each stream, as many as the page may need. An index has each stream in this order, so the cost depends on
 * the number of streams and not on that of events.
 */
const first = (feed: Feed, asked: First): Sql =>
  sql`select f.id, f.by from ${leading(feed, asked)} s cross join lateral (${beginning(feed, asked, asked.rows)}) f`

/**
 * The streams whose events can be on the page: as many as it has rows, those that begin first. People have few streams in a project
 * and thousands in all their projects; of most of these, one event is read.
 */
function leading(feed: Feed, { rows, ...asked }: First): Sql {
  if (feed.of.kind === 'project') return sql`streams`
  return sql`(select s.project_id, s.kind, s.trusted, s.member
    from streams s cross join lateral (${beginning(feed, asked, sql`1`)}) f
    ${along('f', 'by', asked.sort)} limit ${rows} offset 0)`
}

/** The first events of the stream `s` that are open. */
const beginning = (feed: Feed, { by, sort, within }: Omit<First, 'rows'>, rows: Sql): Sql =>
  sql`select e.id, e.by from (${stream(feed, by, sort, within)}) e where ${openTo(feed.reader)} limit ${rows}`

/**
 * The events of a stream in their order. Whether they are open is asked outside: the offset keeps PostgreSQL from planning these
 * questions for each partition.
 */
const stream = (feed: Feed, by: First['by'], sort: Sort, within?: First['within']): Sql =>
  sql`select e.id, e.target_id, ${sql.ref(`e.${by}`)} as by from events e
    where ${inStream(feed)}${within === undefined ? sql`` : sql` and ${within}`} ${along('e', by, sort)} offset 0`

const along = (alias: string, by: string, sort: Sort): Sql =>
  sql`order by ${sql.ref(`${alias}.${by}`)} ${sql.raw(sort)}, ${sql.ref(`${alias}.id`)} ${sql.raw(sort)}`

/** The limits keep PostgreSQL from making joins of the streams with all their events. */
function count(feed: Feed): Sql {
  const most = sql.lit(COUNTED)
  return sql`select count(*) from (select 1 from streams s cross join lateral (
    select 1 from (${stream(feed, 'created_at', 'desc')}) e where ${openTo(feed.reader)} limit ${most}) f
    limit ${most}) counted`
}

/** Whether an event `e` belongs to the stream `s` and to the days of the feed. */
function inStream({ of, after, before }: Feed): Sql {
  const stream =
    of.kind === 'author'
      ? sql`e.author_id = ${of.id} and e.project_id * 100 + e.kind = s.project_id * 100 + s.kind`
      : sql`e.project_id = s.project_id and e.kind = s.kind`
  // Both days are excluded.
  const since =
    after === undefined
      ? sql``
      : sql` and e.created_at >= ${`${after}T00:00:00Z`}::timestamptz + interval '1 day'`
  const until = before === undefined ? sql`` : sql` and e.created_at < ${`${before}T00:00:00Z`}::timestamptz`
  return sql`${stream}${since}${until}`
}

/** Runs a query over `streams`. */
function run<Row>(db: Db, feed: Feed, query: Sql): Promise<Row[]> {
  const whole = sql<Row>`with ${streams(feed)} ${query}`
  return cache.run(db, whole)
}
