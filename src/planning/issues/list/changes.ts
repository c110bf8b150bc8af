import { type RawBuilder, sql } from 'kysely'
import { inVisible } from '#platform/access/visible-projects.ts'
import type { PageWanted } from '#platform/http/pagination.ts'
import { allOf, type Condition } from '../conditions.ts'
import { confidentialOpenIn } from '../visible.ts'
import type { Narrowing } from './narrowing.ts'
import type { IssueScope } from './scope.ts'

// The last change of an issue is in `noteables`, so lists in its order go along the indexes of that table, as `nt`. They look an
// issue up, by its id, only where its noteable does not decide.

type Sql = RawBuilder<unknown>

/** Issues, and what is asked of them. */
interface Selected {
  readonly scope: IssueScope
  readonly narrowings: readonly Narrowing[]
}

const ofIssues = sql<boolean>`nt.kind = 'issue'`

/** The noteables of issues of one project: of the scope's, or of that of `visible v`. */
const noteablesAt = (scope: IssueScope): Condition =>
  sql<boolean>`nt.namespace_id = ${scope.kind === 'project' ? scope.namespaceId : sql`v.namespace_id`} and ${ofIssues}`

/** What the filters ask of the noteable. */
const boundsOf = (narrowings: readonly Narrowing[]): Condition =>
  allOf(narrowings.flatMap(({ ofNoteable }) => ofNoteable ?? []))

/** Whether the issue of `nt` passes the rest, and `open`, which is about the issue `i`. */
function issuePasses({ narrowings }: Pick<Selected, 'narrowings'>, open: Condition): Condition {
  const tests = narrowings.filter(({ ofNoteable }) => ofNoteable === undefined).map(({ test }) => test)
  // A scalar subquery: PostgreSQL looks each issue up and cannot make a join of it.
  return sql<boolean>`(select ${allOf([open, ...tests])} from issues i where i.id = nt.id)`
}

const seesAll = (scope: IssueScope): boolean =>
  scope.kind === 'project' ? scope.readsAll : scope.viewer.admin

/**
 * Whether the issue of `nt` is open to the viewer and passes.
 * @param trusted whether the viewer reads confidential issues of its project.
 */
function passes({ scope, narrowings }: Selected, trusted: Condition): Condition {
  if (narrowings.some(({ ofNoteable }) => ofNoteable === undefined)) {
    const open = seesAll(scope)
      ? yes
      : sql<boolean>`(${confidentialOpenIn(scope.viewer, false)} or ${trusted})`
    return issuePasses({ narrowings }, open)
  }
  if (seesAll(scope)) return yes
  return sql<boolean>`(${trusted} or ${issuePasses({ narrowings }, confidentialOpenIn(scope.viewer, false))})`
}

const yes = sql<boolean>`true`
const no = sql<boolean>`false`

const trustedAt = (scope: IssueScope): Condition => (scope.kind === 'project' ? no : sql<boolean>`v.trusted`)

const along = (sort: PageWanted['sort']): Sql =>
  sql`order by nt.updated_at ${sql.raw(sort)}, nt.id ${sql.raw(sort)}`

/** A query for the `id` and the last change, as `by`, of the first issues of one project; at least those of the page. */
export function firstChanged(
  selected: Selected,
  sort: PageWanted['sort'],
  { limit, offset }: Pick<PageWanted, 'limit' | 'offset'>,
): Sql {
  const { scope, narrowings } = selected
  const reach = offset === 0 ? sql`${limit}` : sql`${limit}::bigint + ${offset}::bigint`
  // The inner query has nothing but columns of the index, so PostgreSQL reads that and does not sort.
  return sql`select nt.id, nt.updated_at as by
    from (select nt.id, nt.updated_at from noteables nt
      where ${noteablesAt(scope)} and ${boundsOf(narrowings)} ${along(sort)} offset 0) nt
    where ${passes(selected, trustedAt(scope))} limit ${reach}`
}

/** A query for the ids of a page, along the index of all noteables. */
export function allChanged(selected: Selected, sort: PageWanted['sort'], page: Sql): Sql {
  const visible = (trusted: boolean) => inVisible(sql`nt.namespace_id`, trusted, 'namespace_id')
  return sql`select nt.id
    from (select nt.id, nt.namespace_id from noteables nt
      where ${ofIssues} and ${visible(false)} and ${boundsOf(selected.narrowings)} ${along(sort)} offset 0) nt
    where ${passes(selected, visible(true))} ${page}`
}

/** What `noteables as nt` in a list of a project must meet. */
export const inChanged = (selected: Selected): Condition =>
  allOf([
    noteablesAt(selected.scope),
    boundsOf(selected.narrowings),
    passes(selected, trustedAt(selected.scope)),
  ])

/** By when issues changed last. */
export function byChange(scope: IssueScope, after?: string, before?: string): Narrowing[] {
  const bounds = [
    ...(after === undefined ? [] : [sql<boolean>`nt.updated_at >= ${after}`]),
    ...(before === undefined ? [] : [sql<boolean>`nt.updated_at <= ${before}`]),
  ]
  if (bounds.length === 0) return []
  const within = allOf(bounds)
  const ofProject = sql`select nt.id from noteables nt where ${noteablesAt(scope)} and ${within}`
  const ids =
    scope.kind === 'project'
      ? ofProject
      : sql`select nt.id from visible v cross join lateral (${ofProject} offset 0) nt`
  const narrowing: Narrowing = {
    test: sql<boolean>`(select ${within} from noteables nt where nt.id = i.id)`,
    ofNoteable: within,
    passes: 'few',
    source: { ids, exact: true, wide: true },
  }
  return [narrowing]
}
