import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { inGrants } from '#platform/access/held-nodes.ts'
import type { ProjectFeature } from '#platform/access/project-features.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import { contains } from '#platform/db/search.ts'
import { forbidden, invalidParameters } from '#platform/refusals.ts'
import { greatest } from '#platform/sequences.ts'
import { projectExtensions } from './extension-points.ts'
import { sizeOrders } from './order.ts'
import type { Filter, GroupProjectFilter } from './parameters.ts'
import type { ProjectSelection } from './list/find.ts'
import { none, type Source, starredBy, withTopic, withTopics } from './list/sources.ts'

/** What the filters of a list ask of its projects. */
export interface ProjectFilters extends Pick<
  ProjectSelection,
  'level' | 'conditions' | 'usual' | 'similarity'
> {
  /** What leads to the projects; the first to the fewest. */
  readonly sources: readonly Source[]
}

/**
 * The filters that all lists of projects share.
 * @throws 403 for filters and orders that only administrators may use, 400 for `similarity` without a search
 */
export function filtersOf(filter: Filter, viewer: Viewer): ProjectFilters {
  assertAllowed(filter, viewer)
  const level = levelOf(filter)
  return {
    level,
    sources: sourcesOf(filter, viewer),
    conditions: conditions(filter, viewer, level),
    usual: Object.keys(filter).every((name) => usual.has(name)),
    ...(filter.order_by === 'similarity' && { similarity: similarity(filter.search ?? '') }),
  }
}

/** Parameters that many requests have, and whose values do not change the text of the statement much. */
const usual: ReadonlySet<string> = new Set<keyof Filter | keyof Static<typeof GroupProjectFilter>>([
  'page',
  'per_page',
  'pagination',
  'order_by',
  'sort',
  'archived',
  'active',
  'owned',
  'membership',
  'min_access_level',
  'starred',
  'simple',
  'statistics',
  'with_custom_attributes',
  'with_shared',
  'include_subgroups',
  'include_ancestor_groups',
])

/** The highest level that the filters ask for. */
function levelOf({ owned, membership, min_access_level }: Filter): number | undefined {
  const asked = [
    ...(owned === true ? [levels.owner] : []),
    ...(membership === true ? [levels.guest] : []),
    ...(min_access_level === undefined ? [] : [min_access_level]),
  ]
  return asked.length === 0 ? undefined : greatest(0, asked)
}

/** The filters that lead to projects. */
function sourcesOf({ starred, topic = [], topic_id }: Filter, { id }: Viewer): Source[] {
  const [first, ...others] = topic
  return [
    ...(starred === true ? [id === null ? none : starredBy(id)] : []),
    ...(topic_id === undefined ? [] : [withTopic(topic_id)]),
    ...(first === undefined ? [] : [withTopics([first, ...others])]),
  ]
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
function conditions(filter: Filter, viewer: Viewer, level = 0): Condition[] {
  const member = viewer.admin || level >= levels.guest ? sql<boolean>`true` : inGrants('n')
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
  when(filter.id_after, (id) => compare('p.id', '>', id))
  when(filter.id_before, (id) => compare('p.id', '<', id))
  when(filter.last_activity_after, (at) => compare('p.last_activity_at', '>=', at))
  when(filter.last_activity_before, (at) => compare('p.last_activity_at', '<=', at))
  when(filter.updated_after, (at) => compare('n.updated_at', '>=', at))
  when(filter.updated_before, (at) => compare('n.updated_at', '<=', at))
  const isOpen = (feature: ProjectFeature) => () =>
    projectFeatureOpenAt(feature, 'p.settings', 'n', viewer, member)
  whenTrue(filter.with_issues_enabled, isOpen('issues'))
  whenTrue(filter.with_merge_requests_enabled, isOpen('merge_requests'))
  whenTrue(filter.imported, () => {
    const conditions = projectExtensions.entries.flatMap(({ imported }) => imported ?? [])
    return sql<boolean>`(${sql.join([sql`false`, ...conditions], sql` or `)})`
  })
  when(filter.repository_storage, storedAt)
  if (asksForNothing(filter)) found.push(sql<boolean>`false`)
  return found
}

const searched = ({ search_namespaces }: Filter) =>
  search_namespaces
    ? ['n.name', 'n.path', 'n.description', 'n.full_path', 'n.full_name']
    : ['n.name', 'n.path', 'n.description']

/** The projects on a storage: without a feature that knows more, all are on the default one. */
function storedAt(storage: string): Condition {
  const known = projectExtensions.entries.flatMap((extension) => extension.storedAt?.(storage) ?? [])
  return known.length > 0
    ? sql<boolean>`(${sql.join(known, sql` and `)})`
    : sql<boolean>`${storage} = 'default'`
}

/** Whether a filter asks for languages, checksums and the like, which no project has yet. */
function asksForNothing(filter: Filter): boolean {
  return (
    filter.with_programming_language !== undefined ||
    filter.marked_for_deletion_on !== undefined ||
    filter.wiki_checksum_failed === true ||
    filter.repository_checksum_failed === true ||
    filter.with_security_reports === true ||
    Object.keys(filter.custom_attributes ?? {}).length > 0
  )
}

/** How well a project matches the search, from 0 to 100. */
function similarity(search: string): RawBuilder<number> {
  const term = search.toLowerCase()
  return sql<number>`(case
      when lower(n.path) = ${term} or lower(n.name) = ${term} then 100
      when starts_with(lower(n.path), ${term}) or starts_with(lower(n.name), ${term}) then 75
      when strpos(lower(n.path), ${term}) > 0 or strpos(lower(n.name), ${term}) > 0 then 50
      else 0 end)`
}
