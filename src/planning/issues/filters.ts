import { sql } from 'kysely'
import {
  assignedTo,
  assignedToNames,
  type Condition,
  due,
  everything,
  inMilestone,
  labelled,
  negated,
  nothing,
  reactedTo,
  weighing,
  writtenBy,
} from './conditions.ts'
import type { Filter, NegatableFilter } from './filter-parameters.ts'
import { byChange } from './list/changes.ts'
import {
  byAssignee,
  byEpic,
  byAssignees,
  byLabels,
  byReaction,
  byWords,
  type Narrowing,
} from './list/narrowing.ts'
import { isTitle, type Names } from './list/names.ts'
import { around, type IssueScope } from './list/scope.ts'

/** What a request asks of the issues of a list, one entry for each filter; a blank filter does not count. */
export function narrowings(filter: Filter, names: Names, scope: IssueScope): Narrowing[] {
  return [...wanted(filter, names, scope), ...unwanted(filter.not ?? {}, scope), ...further(filter, scope)]
}

function collector() {
  const found: Narrowing[] = []
  const add = <T>(value: T | undefined, make: (value: T) => Narrowing) => {
    if (value !== undefined && value !== '') found.push(make(value))
  }
  const adding =
    (passes: Narrowing['passes']) =>
    <T>(value: T | undefined, make: (value: T) => Condition) =>
      add(value, (given) => ({ test: make(given), passes }))
  const ranged = <T>(value: T | undefined, make: (value: T) => Condition) =>
    add(value, (given) => ({ test: make(given), passes: 'many', ranged: true }))
  return { found, add, ranged, few: adding('few'), many: adding('many') }
}

/** What `not` can turn around. */
function wanted(filter: NegatableFilter, names: Names, scope: IssueScope): Narrowing[] {
  const { found, add, few, many } = collector()
  const { viewer } = scope
  if (filter.labels?.length) found.push(byLabels(filter.labels, names, scope))
  if (filter.assignee_username?.length) found.push(byAssignees(filter.assignee_username, names))
  const milestone = (title: string) => inMilestone(title, viewer.today, around(scope, sql`m.namespace_id`))
  ;(isTitle(filter.milestone) ? few : many)(filter.milestone, milestone)
  many(filter.milestone_id, milestone)
  if (filter.iids?.length) few(filter.iids, (iids) => sql<boolean>`i.iid = any(${iids}::bigint[])`)
  few(filter.author_id ?? names.author, (author) => sql<boolean>`i.author_id = ${author}`)
  add(filter.assignee_id, byAssignee)
  add(filter.my_reaction_emoji, (emoji) => byReaction(emoji, viewer.id))
  ;(typeof filter.weight === 'number' ? few : many)(filter.weight, weighing)
  many(filter.iteration_id, (iteration) => (iteration === 'None' ? everything : nothing))
  many(filter.iteration_title, () => nothing)
  return found
}

/** The issues for which each filter of `not` is false or unknown. Of several names, they have none. */
function unwanted(filter: NegatableFilter, { viewer }: IssueScope): Narrowing[] {
  const { found, many } = collector()
  const not = <T>(value: T | undefined, make: (value: T) => Condition) =>
    many(value, (given) => negated(make(given)))
  if (filter.labels?.length) many(filter.labels, (labels) => labelled(labels, 'none'))
  if (filter.assignee_username?.length)
    many(filter.assignee_username, (people) => assignedToNames(people, 'none'))
  not(filter.milestone, (title) => inMilestone(title, viewer.today))
  not(filter.milestone_id, (word) => inMilestone(word, viewer.today))
  if (filter.iids?.length) not(filter.iids, (iids) => sql<boolean>`i.iid = any(${iids}::bigint[])`)
  not(filter.author_id, (author) => sql<boolean>`i.author_id = ${author}`)
  not(filter.author_username, writtenBy)
  not(filter.assignee_id, assignedTo)
  not(filter.my_reaction_emoji, (emoji) => reactedTo(emoji, viewer.id))
  not(filter.weight, weighing)
  not(filter.iteration_id, (iteration) => (iteration === 'None' ? everything : nothing))
  not(filter.iteration_title, () => nothing)
  return found
}

function further(filter: Filter, scope: IssueScope): Narrowing[] {
  const { viewer } = scope
  const { found, add, few, many, ranged } = collector()
  const { state = 'all', in: parts = [] } = filter
  if (state !== 'all') many(state, (one) => sql<boolean>`i.state = ${one}`)
  add(filter.search, (term) => byWords(term, parts))
  if (filter.scope !== 'all') add(filter.scope, (mine) => ofMine(mine, viewer.id))
  ;(filter.confidential === true ? few : many)(
    filter.confidential,
    (confidential) => sql<boolean>`i.confidential = ${confidential}`,
  )
  ;(filter.issue_type === 'issue' ? many : few)(
    filter.issue_type,
    (type) => sql<boolean>`i.issue_type = ${type}`,
  )
  ranged(filter.created_after, (at) => sql<boolean>`i.created_at >= ${at}`)
  ranged(filter.created_before, (at) => sql<boolean>`i.created_at <= ${at}`)
  found.push(...byChange(scope, { after: filter.updated_after, before: filter.updated_before }))
  few(filter.due_date, (when) => due(when, viewer.today))
  few(filter.closed_by_id, (user) => sql<boolean>`i.closed_by_id = ${user}`)
  add(filter.epic_id, (epic) => byEpic(epic, viewer))
  many(filter.health_status, (health) => (health === 'none' ? everything : nothing))
  return found
}

/** Anonymous callers have no issues, neither written nor assigned. */
function ofMine(scope: Exclude<NonNullable<Filter['scope']>, 'all'>, id: number | null): Narrowing {
  const byMe = scope === 'created_by_me' || scope === 'created-by-me'
  return byMe ? { test: sql<boolean>`i.author_id = ${id ?? 0}`, passes: 'few' } : byAssignee(id ?? -1)
}
