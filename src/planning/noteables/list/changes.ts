import { type RawBuilder, sql } from 'kysely'
import { inVisible } from '#platform/access/visible-projects.ts'
import { COUNTED, type PageWanted } from '#platform/http/pagination.ts'
import { reachOf } from '#platform/lists/page-of-ids.ts'
import type { Condition } from './condition.ts'
import { allOf } from './conditions.ts'
import { tablesOf } from './kind.ts'
import type { ItemFilter, Within } from './item-filter.ts'
import { type ListScope, openTo, seesAll } from './scope.ts'

// The last change of an item is in `noteables`, so lists in its order go along the indexes of that table, as `nt`. They look an
// item up, by its id, only where its noteable does not decide.

type Sql = RawBuilder<unknown>

/** Items, and what is asked of them. */
interface Selected {
  readonly scope: ListScope
  readonly filters: readonly ItemFilter[]
}

const ofKind = ({ of }: ListScope): Condition => sql<boolean>`nt.kind = ${sql.lit(of.name)}`

/**
 * The noteables of items of one project, of the scope's or of that of `visible v`, within some time. As comparisons of rows, which
 * only the index by namespaces helps with: PostgreSQL could take that of all noteables when it expects few in that time.
 */
function noteablesAt(scope: ListScope, { after, before }: Within): Condition {
  const at = (time: Sql) =>
    sql`(${scope.kind === 'project' ? sql`${scope.namespaceId}::bigint` : sql`v.namespace_id`}, ${sql.lit(scope.of.name)}, ${time})`
  const key = sql`(nt.namespace_id, nt.kind, nt.updated_at)`
  return sql<boolean>`${key} >= ${at(after === undefined ? sql`'-infinity'` : sql`${after}`)}
    and ${key} <= ${at(before === undefined ? sql`'infinity'` : sql`${before}`)}`
}

const bounds = ({ after, before }: Within): Condition =>
  allOf([
    ...(after === undefined ? [] : [sql<boolean>`nt.updated_at >= ${after}`]),
    ...(before === undefined ? [] : [sql<boolean>`nt.updated_at <= ${before}`]),
  ])

/** The time that a filter asks for. */
const withinOf = (filters: readonly ItemFilter[]): Within =>
  filters.find(({ changed }) => changed !== undefined)?.changed ?? {}

/** Whether the item of `nt` passes the rest, and `open`, which is about the item `i`. */
function itemPasses({ scope, filters }: Selected, open: Condition): Condition {
  const tests = filters.filter(({ changed }) => changed === undefined).map(({ test }) => test)
  // A scalar subquery: PostgreSQL looks each item up and cannot make a join of it.
  return sql<boolean>`(select ${allOf([open, ...tests])} from ${tablesOf(scope.of).items} i where i.id = nt.id)`
}

/**
 * Whether the item of `nt` is open to the viewer and passes.
 * @param trusted whether the viewer sees all items of its project.
 */
function passes(selected: Selected, trusted: Condition): Condition {
  const { scope, filters } = selected
  if (filters.some(({ changed }) => changed === undefined)) {
    const open = seesAll(scope) ? yes : sql<boolean>`(${openTo(scope)} or ${trusted})`
    return itemPasses(selected, open)
  }
  if (seesAll(scope)) return yes
  return sql<boolean>`(${trusted} or ${itemPasses(selected, openTo(scope))})`
}

const yes = sql<boolean>`true`
const no = sql<boolean>`false`

const trustedAt = (scope: ListScope): Condition => (scope.kind === 'project' ? no : sql<boolean>`v.trusted`)

const along = (sort: PageWanted['sort'], names: readonly string[]): Sql =>
  sql`order by ${sql.join(names.map((name) => sql`${sql.ref(`nt.${name}`)} ${sql.raw(sort)}`))}`

/** A query for the `id` and the last change, as `by`, of the first items of one project; at least those of the page. */
export function firstChanged(
  selected: Selected,
  sort: PageWanted['sort'],
  wanted: Pick<PageWanted, 'limit' | 'offset'>,
): Sql {
  const { scope, filters } = selected
  // All columns of the index, and nothing else, so that PostgreSQL reads it and does not sort.
  const order = along(sort, ['namespace_id', 'kind', 'updated_at', 'id'])
  return sql`select nt.id, nt.updated_at as by
    from (select nt.id, nt.updated_at from noteables nt
      where ${noteablesAt(scope, withinOf(filters))} ${order} offset 0) nt
    where ${passes(selected, trustedAt(scope))} limit ${reachOf(wanted)}`
}

/** A query for the ids of a page, along the index of all noteables. */
export function allChanged(selected: Selected, sort: PageWanted['sort'], page: Sql): Sql {
  const order = along(sort, ['updated_at', 'id'])
  const visible = (trusted: boolean) => inVisible(sql`nt.namespace_id`, trusted, 'namespace_id')
  return sql`select nt.id
    from (select nt.id, nt.namespace_id from noteables nt
      where ${ofKind(selected.scope)} and ${visible(false)} and ${bounds(withinOf(selected.filters))} ${order} offset 0) nt
    where ${passes(selected, visible(true))} ${page}`
}

/** What `noteables as nt` in a list of a project must meet. */
export const inChanged = (selected: Selected): Condition =>
  allOf([
    sql<boolean>`nt.namespace_id = ${selected.scope.kind === 'project' ? selected.scope.namespaceId : 0} and ${ofKind(selected.scope)}`,
    bounds(withinOf(selected.filters)),
    passes(selected, trustedAt(selected.scope)),
  ])

/** How many items pass, counted along the index. */
export function countChanged(selected: Selected): Sql {
  const limit = sql.lit(COUNTED)
  const first = firstChanged(selected, 'desc', { limit, offset: 0 })
  const rows =
    selected.scope.kind === 'project'
      ? first
      : sql`select 1 from visible v cross join lateral (${first}) t limit ${limit}`
  return sql`select count(*) from (${rows}) counted`
}

/** Whether the time of the last change narrows a list, and nothing else. */
export const onlyByChange = (filters: readonly ItemFilter[]): boolean =>
  filters.some(({ changed }) => changed !== undefined) &&
  filters.every(({ selectivity, changed }) => selectivity === 'many' || changed !== undefined)

/** By when items changed last. */
export function byChange(scope: ListScope, within: Within): ItemFilter[] {
  if (within.after === undefined && within.before === undefined) return []
  const ofProject = sql`select nt.id from noteables nt where ${noteablesAt(scope, within)}`
  const ids =
    scope.kind === 'project'
      ? ofProject
      : sql`select nt.id from visible v cross join lateral (${ofProject} offset 0) nt`
  const filter: ItemFilter = {
    test: sql<boolean>`(select ${bounds(within)} from noteables nt where nt.id = i.id)`,
    changed: within,
    selectivity: 'few',
    source: { ids, exact: true, scansMost: true },
  }
  return [filter]
}
