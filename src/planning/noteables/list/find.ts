import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import { COUNTED, DEEP, type PageOfIds, type PageWanted } from '#platform/http/pagination.ts'
import { type IndexSource, isFew, leadingFilter } from '#platform/lists/list-filter.ts'
import { countedTo, type Few, LAST, pageOf, pageOfIds, reachOf } from '#platform/lists/page-of-ids.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { Condition } from './condition.ts'
import { allOf } from './conditions.ts'
import { columnsOf, itemWith, keyOf, type OrderKey } from './keys.ts'
import { tablesOf } from './kind.ts'
import { allChanged, countChanged, firstChanged, onlyByChange } from './changes.ts'
import type { ItemFilter } from './item-filter.ts'
import { inProject, inScope, openAt, projectAt, type ListScope, rights } from './scope.ts'

/**
 * Finds the ids of a page of items, and how many there are, in the two ways of page-of-ids.ts.
 *
 * In several projects, the walk takes the first item of each project, and goes on in the projects where these are the
 * first of all. So its cost depends on the number of projects and not on that of items. Where there are very many projects,
 * the index of all items is walked, and each is tested against a hash table of projects.
 */

type Sql = RawBuilder<unknown>

interface Selection {
  readonly scope: ListScope
  readonly filters: readonly ItemFilter[]
}

/** What a list is about. */
export interface ListSelection extends Selection {
  readonly nonArchived: boolean
}

/** Up to that many projects, each is asked for its first items. */
const EACH = sql.lit(5_000)

/** So many items are looked at, whoever asks, before the projects of the caller are asked one by one. */
const LEADING = 300

/** A search looks at so many items of the scope to tell how common its words are. */
const SAMPLE = 500
/** It asks each item where more than this share of the sample has the words. */
const COMMON = 0.15
/** Where no more items than these are, each costs so little that it asks them for less common words, too. */
const SMALL = 5_000
const COMMON_IN_SMALL = 0.02

const cache = new StatementCache({ name: 'ids of items', max: 64 })

/** Finds a page. */
export async function findPage(db: Db, selection: ListSelection, wanted: PageWanted): Promise<PageOfIds> {
  const { scope, filters, nonArchived } = selection
  const key = keyOf(wanted, scope)
  const walked = walk(selection, key, wanted)
  // The index of this order begins where that time begins.
  const inOrder = changes(wanted) && onlyByChange(filters)
  const isFound = filters.some(isFew) && !inOrder
  const total =
    isFound || wanted.isLong ? sql.lit(COUNTED) : inOrder ? countChanged(selection) : count(selection)
  const query = pageOfIds(
    rights(scope, nonArchived),
    isFound ? foundPage(selection, key, wanted) : undefined,
    {
      total,
      page: walked,
    },
    wanted,
  )
  return onlyOne(await cache.run(db, query))
}

/** Counts, up to the limit of totals, for each of some further conditions. */
export async function countItems<Name extends string>(
  db: Db,
  selection: ListSelection,
  each: Readonly<Record<Name, Condition>>,
): Promise<Record<Name, number>> {
  const { scope, filters, nonArchived } = selection
  const few = filters.some(isFew)
  const counts = Object.entries<Condition>(each).map(([name, test]) => {
    const narrowed = { ...selection, filters: [...filters, { test, selectivity: 'many' } as const] }
    return sql`(${few ? countFew(narrowed) : count(narrowed)}) as ${sql.id(name)}`
  })
  const sample = few ? estimate(selection) : sql``
  const query = sql<
    Record<Name, number>
  >`with recursive ${rights(scope, nonArchived)}${sample}${LAST} select ${sql.join(counts)}`
  return onlyOne(await cache.run(db, query))
}

/** Whether a list is in the order of the last change. */
const changes = ({ by }: PageWanted): boolean => by === 'updated_at'

const yes: Condition = sql<boolean>`true`

const itemsOf = ({ of }: ListScope): Sql => sql`${tablesOf(of).items} i`

const tests = (filters: readonly ItemFilter[]): Condition => allOf(filters.map(({ test }) => test))

/** The ids of some items of the scope that pass, in no order. */
function some({ scope, filters }: ListSelection, limit: Sql): Sql {
  const rows = sql`select i.id from ${itemsOf(scope)} where ${inProject(scope)} and ${tests(filters)}`
  if (scope.kind === 'project') return sql`${rows} limit ${limit}`
  return sql`select i.id from visible v cross join lateral (${rows} limit ${limit}) i limit ${limit}`
}

/** How many items pass. */
const count = (selection: ListSelection): Sql =>
  sql`select count(*) from (${some(selection, sql.lit(COUNTED))}) counted`

/** How many items pass, found by the index that leads to them. */
const countFew = (selection: ListSelection): Sql => countedTo(sql`select 1 ${found(selection)}`)

/** All items that pass, as `matched`, and the page of them. */
function foundPage(selection: ListSelection, key: OrderKey, wanted: PageWanted): Few {
  return {
    tables: sql`${estimate(selection)}matched as materialized (
      select i.id, ${key.columns} ${found(selection, key.join)} limit ${sql.lit(COUNTED)})`,
    isAll: sql`(select count(*) from matched) < ${sql.lit(COUNTED)}`,
    page: sql`select m.id from matched m ${key.sorted('m')} ${pageOf(wanted)}`,
  }
}

/** From where on a statement for the items that pass says how it finds them. */
function found({ scope, filters }: Selection, join: Sql = sql``): Sql {
  const by = leadingFilter(filters)
  const rest = filters.filter((one) => one !== by || !by.source.exact)
  const where = sql`where ${inScope(scope)} and ${tests(rest)}`
  if (by === undefined) return sql`from ${itemsOf(scope)} ${join} ${where}`
  const { source } = by
  const from = (ids: Sql) =>
    sql`from (${ids} offset 0) c cross join lateral (${itemWith(scope.of, sql`c.id`)}) i`
  if (source.among === undefined) return sql`${from(source.ids)} ${join} ${where}`
  if (scope.kind !== 'project') return sql`${from(searched({ scope, filters }, source))} ${join} ${where}`
  // The items of one project are read once, and so are the words of as many as are counted. Asked whether it is true, PostgreSQL
  // keeps the ids in a hash table.
  const columns = columnsOf(scope.of)
  const items = sql`from ${itemsOf(scope)} where ${inScope(scope)}`
  const having = source.among(sql`select i.id ${items} and ${tests(rest)} order by i.id`)
  return sql`from (
    select ${columns} ${from(source.ids)} ${where} and not (select usual from usual)
    union all select ${columns} ${items} and (select usual from usual)
      and (i.id in (${having} limit ${sql.lit(COUNTED)})) is true) i ${join}`
}

/**
 * For a search, says as `usual` whether it pays to ask each item: because there are few, or because many of those at the
 * beginning have the words.
 */
function estimate({ scope, filters, nonArchived }: ListSelection): Sql {
  const by = leadingFilter(filters)
  if (by?.source.among === undefined) return sql``
  const every = { scope, filters: [], nonArchived }
  const count = (rows: Sql) => sql`(select count(*) from (${rows}) i)`
  const size = count(some(every, sql`${sql.lit(SMALL)} + 1`))
  const having = count(by.source.among(some(every, sql.lit(SAMPLE))))
  return sql`sample (size, having_words) as materialized (select ${size}, ${having}),
    usual as materialized (select s.size <= ${sql.lit(SAMPLE)} or s.having_words > ${sql.lit(SAMPLE)}
      * case when s.size <= ${sql.lit(SMALL)} then ${sql.lit(COMMON_IN_SMALL)} else ${sql.lit(COMMON)} end as usual
      from sample s), `
}

/** The items of several projects that have the words of a search, found in the way that `usual` says. */
function searched({ scope, filters }: Selection, source: IndexSource): Sql {
  return sql`select f.id from (${source.ids}) f where not (select usual from usual)
    union all (select i.id from visible v join ${itemsOf(scope)} on i.project_id = v.id
      where ${tests(filters)} and (select usual from usual))`
}

/** A query for the ids of the page, along the order's index. */
function walk(selection: ListSelection, key: OrderKey, wanted: PageWanted): Sql {
  const { scope, filters } = selection
  const passing = tests(filters)
  const changed = changes(wanted)
  const first: First = (reach) =>
    changed ? firstChanged(selection, wanted.sort, reach) : key.first(ofProject(selection), reach)
  if (scope.kind === 'project') {
    const rows = first(wanted)
    return sql`select i.id from (${rows}) i ${key.sorted('i')} ${pageOf(wanted)}`
  }
  if (key.join !== undefined && !changed) {
    const open = sql`select ${columnsOf(scope.of)} from ${itemsOf(scope)} where ${inProject(scope)} and ${passing} offset 0`
    const from = sql`visible v cross join lateral (${open}) i`
    const rows = key.first({ from, where: yes, open: yes, tests: [] }, wanted)
    return sql`select i.id from (${rows}) i ${key.sorted('i')} ${pageOf(wanted)}`
  }
  const merged = merge(first, key, wanted)
  if (!key.indexed || scope.kind === 'group') return merged
  const along = changed
    ? allChanged(selection, wanted.sort, pageOf(wanted))
    : sql`select i.id from ${itemsOf(scope)} where ${inScope(scope)} and ${passing} ${key.order} ${pageOf(wanted)}`
  // Beyond the first pages, nearly every project has items on those before.
  if (wanted.offset > DEEP) return along
  const other = sql`when (select count(*) from visible) <= ${EACH} then array(${merged}) else array(${along})`
  if (changed) return sql`select unnest(case ${other} end)`
  // Whoever sees much finds the page among the first items of all.
  const leading = sql`select ${columnsOf(scope.of)} from ${itemsOf(scope)} ${key.order} limit ${sql.lit(LEADING)}`
  const near = sql`select i.id from (${leading}) i where ${inScope(scope)} and ${passing} ${key.order} ${pageOf(wanted)}`
  return sql`select unnest(case when cardinality(near.ids) >= ${wanted.limit} then near.ids ${other} end)
    from (select array(${near}) as ids offset 0) near`
}

/** The items of one project that pass. */
const ofProject = ({ scope, filters }: ListSelection) => ({
  from: itemsOf(scope),
  open: openAt(scope),
  where: allOf([projectAt(scope), ...filters.filter(({ ranged }) => ranged).map(({ test }) => test)]),
  tests: filters.filter(({ ranged }) => !ranged).map(({ test }) => test),
})

/** A query for the first items of one project, at least so many. */
type First = (reach: Pick<PageWanted, 'limit' | 'offset'>) => Sql

/** The first items of those projects whose first item comes first. */
function merge(first: First, key: OrderKey, wanted: PageWanted): Sql {
  const reach = { limit: reachOf(wanted), offset: 0 }
  return sql`select t.id from (
      select v.id, v.trusted, v.namespace_id from visible v
        cross join lateral (
          select o.id, ${key.values('o')} from (${first({ limit: sql.lit(1), offset: 0 })}) o ${key.sorted('o')} limit 1) f
        ${key.sorted('f')} limit ${reach.limit}) v
      cross join lateral (${first(reach)}) t
    ${key.sorted('t')} ${pageOf(wanted)}`
}
