import { type RawBuilder, sql } from 'kysely'
import { has, negated, nothing, withPerson } from '#planning/noteables/list/conditions.ts'
import type { Condition } from '#planning/noteables/list/condition.ts'
import { collector, sharedFilters } from '#planning/noteables/list/filters.ts'
import { byPerson, type ItemFilter } from '#planning/noteables/list/item-filter.ts'
import type { IndexSource } from '#platform/lists/list-filter.ts'
import type { Names } from '#planning/noteables/list/names.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import { append } from '#platform/sequences.ts'
import { approversOfOne, idsWithApprover, lacksApprovals } from '../approvals/sql.ts'
import { approvals, reviewers } from './listed-merge-requests.ts'
import { deployedFilters } from './extension-points.ts'
import type { Filter, NegatableFilter } from './filter-schemas.ts'

/** The names of users that only filters of merge requests have. */
export const usersIn = (filter: Filter): (string | undefined)[] => [
  filter.reviewer_username,
  filter.merge_user_username,
  ...(filter.approved_by_usernames ?? []),
]

/**
 * What a request asks of the merge requests of a list, one entry for each filter; a blank filter does not count.
 * @param demands whether the plan has rules that demand approvals.
 */
export const filtersOf = (filter: Filter, names: Names, scope: ListScope, demands: boolean): ItemFilter[] => [
  ...sharedFilters(filter, names, scope),
  ...byBranches(filter, scope),
  ...byReviewers(filter, names, scope),
  ...byApprovals(filter, names, scope, demands),
  ...further(filter, names),
  ...byDeployments(filter, scope),
  ...unwanted(filter.not ?? {}),
]

/** The id of a user whom a filter names; the look-up has found everybody. */
const idOf = ({ users }: Names, name: string | undefined): number | undefined =>
  name === undefined ? undefined : users.get(name.toLowerCase())

/** One merge request has few branches, so the index over branches leads to those with a branch. */
function byBranches(
  { source_branch, target_branch, source_project_id }: Filter,
  scope: ListScope,
): ItemFilter[] {
  const { found, add, many } = collector()
  const here = scope.kind === 'project' ? sql`x.project_id = ${scope.id}` : sql`true`
  add(source_branch, (branch) => {
    const test = sql<boolean>`i.source_branch = ${branch}`
    const ids = sql`select x.id from merge_requests x where x.source_branch = ${branch} and ${here}`
    return { test, selectivity: 'few', source: { ids, exact: true } }
  })
  add(source_project_id, (project) => {
    const test = sql<boolean>`i.source_project_id = ${project}`
    const ids = sql`select x.id from merge_requests x where x.source_project_id = ${project}`
    return { test, selectivity: 'few', source: { ids, exact: true, scansMost: true } }
  })
  many(target_branch, (branch) => sql<boolean>`i.target_branch = ${branch}`)
  return found
}

function byReviewers(filter: Filter, names: Names, { viewer }: ListScope): ItemFilter[] {
  const { found, add } = collector()
  add(filter.reviewer_id ?? idOf(names, filter.reviewer_username), (user) => byPerson(reviewers, user))
  if (filter.scope === 'reviews_for_me') found.push(byPerson(reviewers, viewer.id ?? -1))
  return found
}

/** The merge request of a list as the SQL of approvals names it. */
const asOne = sql`(select i.id, i.project_id, i.author_id, i.target_branch, i.approvals_required) mr`

const approvers = sql`(select a.user_id from ${asOne}, lateral ${approversOfOne} a)`
const approvedByPeople = sql`(select a.user_id from ${approvals.rows} a where a.merge_request_id = i.id)`

/** @param demands whether the plan has rules that demand approvals */
function byApprovals(filter: Filter, names: Names, { viewer }: ListScope, demands: boolean): ItemFilter[] {
  const { found, many } = collector()
  const { approved_by_ids = [], approved_by_usernames = [], approver_ids = [] } = filter
  const named = approved_by_usernames.map((name) => idOf(names, name) ?? -1)
  const approvedBy = (user: number) => ({
    ids: sql`select a.merge_request_id as id from ${approvals.rows} a where a.user_id = ${user}`,
    exact: false,
  })
  append(found, withAll(approvedByPeople, approved_by_ids, approvedBy))
  append(found, withAll(approvedByPeople, named, approvedBy))
  append(
    found,
    withAll(approvers, approver_ids, (user) => ({
      ids: idsWithApprover(user),
      exact: false,
      scansMost: true,
    })),
  )
  const approved = approvedIn(demands ? lacksApprovals(viewer.today) : undefined)
  many(filter.approved, (yes) => (yes === 'yes' ? approved : negated(approved)))
  return found
}

/**
 * The merge requests that have all of some people, or none or any by a word, which counts alone. The text of the statement does not depend
 * on how many they are.
 * @param people a query for those of one merge request.
 * @param source what leads to the merge requests that have somebody.
 */
function withAll(
  people: RawBuilder<unknown>,
  given: readonly (number | 'None' | 'Any')[],
  source: (user: number) => IndexSource,
): ItemFilter[] {
  const ids = [...new Set(given.filter((one) => typeof one === 'number'))]
  const word = given.find((one) => typeof one === 'string')
  if (word !== undefined) return [{ test: has(word === 'Any' ? 'any' : 'none', people), selectivity: 'many' }]
  const [first] = ids
  if (first === undefined) return []
  const test = sql<boolean>`((select count(distinct a.user_id) from ${people} a
    where a.user_id = any(${ids}::bigint[])) = ${ids.length})`
  return [{ test, selectivity: 'few', source: source(first) }]
}

/** Whether somebody has approved, and no approval lacks. */
function approvedIn(lacking: Condition | undefined): Condition {
  const some = has('any', approvedByPeople)
  if (lacking === undefined) return some
  return sql<boolean>`(${some} and not (
    select ${lacking} from ${asOne} join projects p on p.id = mr.project_id))`
}

/** As draft.ts has it. */
const draft: Condition = sql<boolean>`i.title ~* ${String.raw`^\s*(\[draft\]|\(draft\)|draft:)`}`

function further(filter: Filter, names: Names): ItemFilter[] {
  const { found, add, many } = collector()
  many(filter.wip, (yes) => (yes === 'yes' ? draft : negated(draft)))
  add(filter.merge_user_id ?? idOf(names, filter.merge_user_username), (user) => ({
    test: sql<boolean>`i.merge_user_id = ${user}`,
    selectivity: 'few',
    source: { ids: sql`select x.id from merge_requests x where x.merge_user_id = ${user}`, exact: true },
  }))
  return found
}

/** Without a feature that knows of deployments, nothing was deployed. */
function byDeployments(
  { deployed_before, deployed_after, environment }: Filter,
  { viewer }: ListScope,
): ItemFilter[] {
  const deployed = { deployed_before, deployed_after, environment: environment || undefined }
  if (Object.values(deployed).every((value) => value === undefined)) return []
  const found = deployedFilters.entries.map((narrow) => narrow(deployed, viewer))
  return found.length > 0 ? found : [{ test: nothing, selectivity: 'few' }]
}

/** The merge requests for which each filter of `not` is false. */
function unwanted(filter: NegatableFilter): ItemFilter[] {
  const { found, many, not } = collector()
  not(filter.reviewer_id, (user) => withPerson(reviewers, user))
  many(filter.reviewer_username, (name) =>
    has(
      'none',
      sql`select 1 from merge_request_reviewers a join users u on u.id = a.user_id
        where a.merge_request_id = i.id and lower(u.username) = ${name.toLowerCase()}`,
    ),
  )
  return found
}
