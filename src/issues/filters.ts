import { sql } from 'kysely'
import type { Viewer } from '#access/viewer.ts'
import { archivedIn } from '#access/visible.ts'
import { invalidParameters } from '#http/errors.ts'
import {
  assignedTo,
  assignedToName,
  type Condition,
  due,
  everything,
  inMilestone,
  labelled,
  nothing,
  reactedTo,
  weighing,
  withWords,
  writtenBy,
} from './conditions.ts'
import type { Filter, NegatableFilter } from './filter-parameters.ts'
import type { IssueQuery } from './queries.ts'

/**
 * Narrows a list by the filters that all lists of issues share.
 * @throws 400 for more names than anybody looks for
 */
export function filterIssues(query: IssueQuery, filter: Filter, viewer: Viewer): IssueQuery {
  const unwanted = negatable(filter.not ?? {}, viewer).map((one) => sql<boolean>`(${one}) is not true`)
  const conditions = [...negatable(filter, viewer), ...unwanted, ...further(filter, viewer)]
  return conditions.reduce((narrowed, condition) => narrowed.where(condition), query)
}

/** Collects a condition for each filter that is given; a blank one is not. */
function collector() {
  const found: Condition[] = []
  const when = <T>(value: T | undefined, make: (value: T) => Condition) => {
    if (value !== undefined && value !== '') found.push(make(value))
  }
  return { found, when }
}

/** Of several names, each is a condition: all of them, or with `not` none. */
function negatable(filter: NegatableFilter, { id, today }: Viewer): Condition[] {
  const { found, when } = collector()
  for (const name of namesIn('labels', filter.labels)) when(name, labelled)
  when(filter.milestone, (title) => inMilestone(title, today))
  when(filter.milestone_id, (word) => inMilestone(word, today))
  if (filter.iids?.length) found.push(sql<boolean>`i.iid = any(${filter.iids}::bigint[])`)
  when(filter.author_id, (author) => sql<boolean>`i.author_id = ${author}`)
  when(filter.author_username, writtenBy)
  when(filter.assignee_id, assignedTo)
  for (const name of namesIn('assignee_username', filter.assignee_username)) when(name, assignedToName)
  when(filter.my_reaction_emoji, (emoji) => reactedTo(emoji, id))
  when(filter.weight, weighing)
  when(filter.iteration_id, (iteration) => (iteration === 'None' ? everything : nothing))
  when(filter.iteration_title, () => nothing)
  return found
}

const MAX_NAMES = 50

function namesIn(parameter: string, names: readonly string[] = []): string[] {
  const all = names.flatMap((name) => name.split(',')).map((name) => name.trim())
  if (all.length <= MAX_NAMES) return all
  throw invalidParameters([
    { name: parameter, text: `is too long (maximum is ${MAX_NAMES} names)`, missing: false },
  ])
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

/** Nobody in particular has written nothing and is assigned to nothing. */
function ofMine(scope: NonNullable<Filter['scope']>, { id }: Viewer): Condition {
  if (scope === 'all') return everything
  const byMe = scope === 'created_by_me' || scope === 'created-by-me'
  return byMe ? sql<boolean>`i.author_id = ${id ?? 0}` : assignedTo(id ?? -1)
}
