import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
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
  type Presence,
  weighing,
  withWords,
  writtenBy,
} from './conditions.ts'
import type { Filter, NegatableFilter } from './filter-parameters.ts'
import type { IssueQuery } from './queries.ts'

/** Narrows a list by the filters that all lists of issues share. */
export function filterIssues(query: IssueQuery, filter: Filter, viewer: Viewer): IssueQuery {
  const { not: unwanted = {} } = filter
  const conditions = [
    ...named(filter, 'all'),
    ...negatable(filter, viewer),
    ...named(unwanted, 'none'),
    ...negatable(unwanted, viewer).map(negated),
    ...further(filter, viewer),
  ]
  return conditions.reduce((narrowed, condition) => narrowed.where(condition), query)
}

/** Collects a condition for each given filter; a blank one does not count. */
function collector() {
  const found: Condition[] = []
  const when = <T>(value: T | undefined, make: (value: T) => Condition) => {
    if (value !== undefined && value !== '') found.push(make(value))
  }
  return { found, when }
}

/** An issue must match all of several names, or none of them with `not`. */
function named({ labels, assignee_username }: NegatableFilter, wanted: Presence): Condition[] {
  return [
    ...(labels?.length ? [labelled(labels, wanted)] : []),
    ...(assignee_username?.length ? [assignedToNames(assignee_username, wanted)] : []),
  ]
}

function negatable(filter: NegatableFilter, { id, today }: Viewer): Condition[] {
  const { found, when } = collector()
  when(filter.milestone, (title) => inMilestone(title, today))
  when(filter.milestone_id, (word) => inMilestone(word, today))
  if (filter.iids?.length) found.push(sql<boolean>`i.iid = any(${filter.iids}::bigint[])`)
  when(filter.author_id, (author) => sql<boolean>`i.author_id = ${author}`)
  when(filter.author_username, writtenBy)
  when(filter.assignee_id, assignedTo)
  when(filter.my_reaction_emoji, (emoji) => reactedTo(emoji, id))
  when(filter.weight, weighing)
  when(filter.iteration_id, (iteration) => (iteration === 'None' ? everything : nothing))
  when(filter.iteration_title, () => nothing)
  return found
}

function further(filter: Filter, viewer: Viewer): Condition[] {
  const { found, when } = collector()
  const { state = 'all', in: parts = [] } = filter
  if (state !== 'all') found.push(sql<boolean>`i.state = ${state}`)
  when(filter.search, (term) => withWords(term, parts))
  when(filter.scope, (scope) => ofMine(scope, viewer))
  when(filter.confidential, (confidential) => sql<boolean>`i.confidential = ${confidential}`)
  when(filter.issue_type, (type) => sql<boolean>`i.issue_type = ${type}`)
  when(filter.created_after, (at) => sql<boolean>`i.created_at >= ${at}`)
  when(filter.created_before, (at) => sql<boolean>`i.created_at <= ${at}`)
  when(filter.updated_after, (at) => sql<boolean>`i.updated_at >= ${at}`)
  when(filter.updated_before, (at) => sql<boolean>`i.updated_at <= ${at}`)
  when(filter.due_date, (when) => due(when, viewer.today))
  when(filter.closed_by_id, (user) => sql<boolean>`i.closed_by_id = ${user}`)
  when(filter.epic_id, (epic) => (epic === 'None' ? everything : nothing))
  when(filter.health_status, (health) => (health === 'none' ? everything : nothing))
  if (filter.non_archived) found.push(sql<boolean>`not ${archivedIn('n')}`)
  return found
}

/** Anonymous callers have no issues, neither written nor assigned. */
function ofMine(scope: NonNullable<Filter['scope']>, { id }: Viewer): Condition {
  if (scope === 'all') return everything
  const byMe = scope === 'created_by_me' || scope === 'created-by-me'
  return byMe ? sql<boolean>`i.author_id = ${id ?? 0}` : assignedTo(id ?? -1)
}
