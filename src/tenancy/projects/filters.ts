import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn, hasLevel } from '#platform/access/visible.ts'
import { contains } from '#platform/db/search.ts'
import { forbidden, invalidParameters } from '#platform/http/errors.ts'
import { hasTopic, hasTopicsNamed } from '#tenancy/topics/queries.ts'
import { sizeOrders } from './order.ts'
import type { Filter } from './parameters.ts'
import type { ProjectQuery } from './queries.ts'

/**
 * Narrows a list by the filters that all lists of projects share.
 * @throws 403 for filters and orders that only administrators may use, 400 for `similarity` without a search
 */
export function filterProjects(query: ProjectQuery, filter: Filter, viewer: Viewer): ProjectQuery {
  assertAllowed(filter, viewer)
  return conditions(filter, viewer).reduce((narrowed, condition) => narrowed.where(condition), query)
}

function assertAllowed({ order_by, repository_storage, search }: Filter, viewer: Viewer): void {
  if (!viewer.admin && repository_storage !== undefined) {
    throw forbidden('only administrators can filter by repository_storage')
  }
  if (!viewer.admin && order_by !== undefined && Object.hasOwn(sizeOrders, order_by)) {
    throw forbidden(`only administrators can use order_by=${order_by}`)
  }
  if (order_by === 'similarity' && !search) {
    throw invalidParameters([{ name: 'order_by', text: 'similarity needs search', missing: false }])
  }
}

type Condition = RawBuilder<boolean>

const compare = (column: string, operator: '<' | '>' | '<=' | '>=' | '=', value: unknown): Condition =>
  sql<boolean>`${sql.ref(column)} ${sql.raw(operator)} ${value}`
const not = (condition: Condition): Condition => sql<boolean>`not ${condition}`

/** One condition for each filter that is given. */
function conditions(filter: Filter, viewer: Viewer): Condition[] {
  const found: Condition[] = []
  const when = <T>(value: T | undefined, make: (value: T) => Condition) => {
    if (value !== undefined) found.push(make(value))
  }
  const whenTrue = (value: boolean | undefined, make: () => Condition) => {
    if (value === true) found.push(make())
  }
  when(filter.archived, (archived) => (archived ? archivedIn('n') : not(archivedIn('n'))))
  when(filter.active, (active) => (active ? not(archivedIn('n')) : archivedIn('n')))
  when(filter.visibility, (visibility) => compare('n.visibility', '=', visibility))
  when(filter.search, (term) => contains(searched(filter), term))
  whenTrue(filter.owned, () => hasLevel('n', viewer, levels.owner))
  whenTrue(filter.membership, () => hasLevel('n', viewer, levels.guest))
  when(filter.min_access_level, (level) => hasLevel('n', viewer, level))
  whenTrue(filter.starred, () => starredBy(viewer.id))
  when(filter.id_after, (id) => compare('p.id', '>', id))
  when(filter.id_before, (id) => compare('p.id', '<', id))
  when(filter.last_activity_after, (at) => compare('p.last_activity_at', '>=', at))
  when(filter.last_activity_before, (at) => compare('p.last_activity_at', '<=', at))
  when(filter.updated_after, (at) => compare('n.updated_at', '>=', at))
  when(filter.updated_before, (at) => compare('n.updated_at', '<=', at))
  if (filter.topic?.length) found.push(hasTopicsNamed('p', filter.topic))
  when(filter.topic_id, (id) => hasTopic('p', id))
  whenTrue(filter.with_issues_enabled, () => projectFeatureOpenAt('issues', 'p.settings', 'n', viewer))
  whenTrue(filter.with_merge_requests_enabled, () =>
    projectFeatureOpenAt('merge_requests', 'p.settings', 'n', viewer),
  )
  if (asksForNothing(filter)) found.push(sql<boolean>`false`)
  return found
}

const searched = ({ search_namespaces }: Filter) =>
  search_namespaces
    ? ['n.name', 'n.path', 'n.description', 'n.full_path', 'n.full_name']
    : ['n.name', 'n.path', 'n.description']

export function starredBy(userId: number | null): Condition {
  return sql<boolean>`exists (select 1 from project_stars st
    where st.project_id = p.id and st.user_id = ${userId ?? 0})`
}

/** Whether a filter asks for imports, languages, checksums and the like, which no project has yet. */
function asksForNothing(filter: Filter): boolean {
  return (
    filter.imported === true ||
    filter.with_programming_language !== undefined ||
    filter.marked_for_deletion_on !== undefined ||
    filter.wiki_checksum_failed === true ||
    filter.repository_checksum_failed === true ||
    filter.with_security_reports === true ||
    (filter.repository_storage !== undefined && filter.repository_storage !== 'default') ||
    Object.keys(filter.custom_attributes ?? {}).length > 0
  )
}

/**
 * Joins how well a project matches the search, from 0 to 100, as `fit.similarity`: `order_by=similarity` sorts by it.
 */
export function withSimilarity(query: ProjectQuery, search: string) {
  const term = search.toLowerCase()
  const fit = sql<{ similarity: number }>`(select case
      when lower(n.path) = ${term} or lower(n.name) = ${term} then 100
      when starts_with(lower(n.path), ${term}) or starts_with(lower(n.name), ${term}) then 75
      when strpos(lower(n.path), ${term}) > 0 or strpos(lower(n.name), ${term}) > 0 then 50
      else 0 end as similarity)`
  return query.innerJoinLateral(fit.as('fit'), (join) => join.onTrue())
}
