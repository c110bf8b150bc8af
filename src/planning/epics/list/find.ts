import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import type { Sort } from '#platform/http/order.ts'
import { COUNTED, type PageOfIds, type PageWanted } from '#platform/http/pagination.ts'
import { type LeadingFilter, leadingFilter, type ListFilter } from '#platform/lists/list-filter.ts'
import { countedTo, type Few, pageOf, pageOfIds, reachOf, totalOfIds } from '#platform/lists/page-of-ids.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { Condition } from '#planning/noteables/list/condition.ts'
import { allOf } from '#planning/noteables/list/conditions.ts'
import { type EpicScope, inVisible, openHere, rights } from './scope.ts'

/**
 * Finds the ids of a page of epics, and how many there are, in the two ways of page-of-ids.ts. The walk takes the first epics
 * of each visible group. So its cost depends on the number of groups and not on that of epics.
 */

type Sql = RawBuilder<unknown>

/** What a list is about. */
export interface EpicSelection {
  readonly scope: EpicScope
  readonly filters: readonly ListFilter[]
}

const cache = new StatementCache({ name: 'ids of epics', max: 32 })

/** Finds a page. */
export async function findPage(db: Db, selection: EpicSelection, wanted: PageWanted): Promise<PageOfIds> {
  const { scope, filters } = selection
  const by = leadingFilter(filters)
  const query = pageOfIds(
    sql`${rights(scope)}, `,
    by && foundPage(selection, by, wanted),
    {
      total: by === undefined && !wanted.isLong ? count(selection) : sql.lit(COUNTED),
      page: walk(selection, wanted),
    },
    wanted,
  )
  return onlyOne(await cache.run(db, query))
}

/** How many epics there are, up to the limit of totals. */
export async function countEpics(db: Db, selection: EpicSelection): Promise<number> {
  const query = totalOfIds(sql`${rights(selection.scope)}, `, undefined, count(selection))
  const [found] = await cache.run(db, query)
  return found?.total ?? 0
}

/** The epic that an index leads to; the offset leaves PostgreSQL no other way than to look it up. */
const epicWith = sql`select e.id, e.group_id, e.iid, e.title, e.state, e.author_id, e.confidential, e.created_at
  from epics e where e.id = c.id offset 0`

const tests = ({ filters }: EpicSelection): Condition => allOf(filters.map(({ test }) => test))

/** All epics that pass, as `matched`, found by the index of a filter, and the page of them. */
const foundPage = (selection: EpicSelection, { source }: LeadingFilter, wanted: PageWanted): Few => ({
  tables: sql`matched (id, by) as materialized (
    select e.id, ${valueOf(wanted)} from (${source.ids} offset 0) c cross join lateral (${epicWith}) e
    where ${inVisible} and ${tests(selection)} limit ${sql.lit(COUNTED)})`,
  isAll: sql`(select count(*) from matched) < ${sql.lit(COUNTED)}`,
  page: sql`select m.id from matched m ${sorted('m', wanted.sort)} ${pageOf(wanted)}`,
})

/** How many epics pass; each group is asked for as many as totals count. */
const count = (selection: EpicSelection): Sql =>
  countedTo(sql`select 1 from visible v cross join lateral (
    select e.id from epics e where ${openHere} and ${tests(selection)} limit ${sql.lit(COUNTED)}) passing`)

/** What the order goes by, of an epic `e`. */
const valueOf = ({ by }: Pick<PageWanted, 'by'>): Sql =>
  by === 'updated_at'
    ? sql`(select nt.updated_at from noteables nt where nt.id = e.id)`
    : sql.ref(by === 'title' ? 'e.title' : 'e.created_at')

const sorted = (alias: string, sort: Sort): Sql => {
  const direction = sql.raw(sort)
  return sql`order by ${sql.ref(`${alias}.by`)} ${direction}, ${sql.ref(`${alias}.id`)} ${direction}`
}

/** A query for the ids of the page: of the first epics of each group, the first of all. */
function walk(selection: EpicSelection, wanted: PageWanted): Sql {
  const { sort } = wanted
  const reach = reachOf(wanted)
  const direction = sql.raw(sort)
  const passing = sql<boolean>`${openHere} and ${tests(selection)}`
  const first =
    wanted.by === 'updated_at'
      ? sql`select nt.id, nt.updated_at as by from noteables nt
          cross join lateral (select e.id from epics e where e.id = nt.id and ${passing} offset 0) e
          where nt.namespace_id = v.id and nt.kind = 'epic'
          order by nt.updated_at ${direction}, nt.id ${direction} limit ${reach}`
      : sql`select e.id, ${valueOf(wanted)} as by from epics e where ${passing}
          order by ${valueOf(wanted)} ${direction}, e.id ${direction} limit ${reach}`
  return sql`select t.id from visible v cross join lateral (${first}) t ${sorted('t', sort)} ${pageOf(wanted)}`
}
