import { sql } from 'kysely'
import { append } from '#platform/sequences.ts'
import { byChange } from './changes.ts'
import type { Condition } from './condition.ts'
import { inMilestone, labelled, negated, reactedTo, withPeople, withPerson, writtenBy } from './conditions.ts'
import { assigneesOf } from './kind.ts'
import {
  byAssignees,
  byAuthor,
  byLabels,
  byPerson,
  byReaction,
  byWords,
  type ItemFilter,
} from './item-filter.ts'
import { isTitle, type Names } from './names.ts'
import type { SharedFilter, SharedNegatable } from './shared-filter.ts'
import { inTree, type ListScope } from './scope.ts'

/** Collects filters, one for each filter that is given; a blank one does not count. */
export function collector() {
  const found: ItemFilter[] = []
  const add = <T>(value: T | undefined, make: (value: T) => ItemFilter) => {
    if (value !== undefined && value !== '') found.push(make(value))
  }
  const adding =
    (selectivity: ItemFilter['selectivity']) =>
    <T>(value: T | undefined, make: (value: T) => Condition) =>
      add(value, (given) => ({ test: make(given), selectivity }))
  const ranged = <T>(value: T | undefined, make: (value: T) => Condition) =>
    add(value, (given) => ({ test: make(given), selectivity: 'many', ranged: true }))
  const many = adding('many')
  /** Items for which the filter is false or unknown. */
  const not = <T>(value: T | undefined, make: (value: T) => Condition) =>
    many(value, (given) => negated(make(given)))
  return { found, add, ranged, few: adding('few'), many, not }
}

/** What the filters of all kinds ask of the items of a list. */
export const sharedFilters = (filter: SharedFilter, names: Names, scope: ListScope): ItemFilter[] => [
  ...wanted(filter, names, scope),
  ...unwanted(filter.not ?? {}, scope),
  ...further(filter, scope),
]

/** What `not` can turn around. */
function wanted(filter: SharedNegatable, names: Names, scope: ListScope): ItemFilter[] {
  const { found, add, few, many } = collector()
  const { viewer, of } = scope
  if (filter.labels?.length) found.push(byLabels(filter.labels, names, scope))
  if (filter.assignee_username?.length) found.push(byAssignees(filter.assignee_username, names, scope))
  const milestone = (title: string) => inMilestone(title, viewer.today, inTree(scope, sql`m.namespace_id`))
  ;(isTitle(filter.milestone) ? few : many)(filter.milestone, milestone)
  many(filter.milestone_id, milestone)
  if (filter.iids?.length) few(filter.iids, (iids) => sql<boolean>`i.iid = any(${iids}::bigint[])`)
  add(filter.author_id ?? names.author, (author) => byAuthor(author, scope))
  add(filter.assignee_id, (user) => byPerson(assigneesOf(of), user))
  add(filter.my_reaction_emoji, (emoji) => byReaction(emoji, viewer.id))
  return found
}

/** The items for which each filter of `not` is false or unknown. Of several names, they have none. */
function unwanted(filter: SharedNegatable, { viewer, of }: ListScope): ItemFilter[] {
  const { found, many, not } = collector()
  if (filter.labels?.length) many(filter.labels, (labels) => labelled(of, labels, 'none'))
  if (filter.assignee_username?.length)
    many(filter.assignee_username, (people) => withPeople(assigneesOf(of), people, 'none'))
  not(filter.milestone, (title) => inMilestone(title, viewer.today))
  not(filter.milestone_id, (word) => inMilestone(word, viewer.today))
  if (filter.iids?.length) not(filter.iids, (iids) => sql<boolean>`i.iid = any(${iids}::bigint[])`)
  not(filter.author_id, (author) => sql<boolean>`i.author_id = ${author}`)
  not(filter.author_username, writtenBy)
  not(filter.assignee_id, (user) => withPerson(assigneesOf(of), user))
  not(filter.my_reaction_emoji, (emoji) => reactedTo(emoji, viewer.id))
  return found
}

function further(filter: SharedFilter, scope: ListScope): ItemFilter[] {
  const { found, add, many, ranged } = collector()
  const { state = 'all', in: parts = [] } = filter
  if (state !== 'all') many(state, (one) => sql<boolean>`i.state = ${one}`)
  add(filter.search, (term) => byWords(term, parts, scope))
  if (filter.scope !== undefined) append(found, ofMine(filter.scope, scope))
  ranged(filter.created_after, (at) => sql<boolean>`i.created_at >= ${at}`)
  ranged(filter.created_before, (at) => sql<boolean>`i.created_at <= ${at}`)
  append(found, byChange(scope, { after: filter.updated_after, before: filter.updated_before }))
  return found
}

/** Anonymous callers have no items, neither written nor assigned. */
function ofMine(name: string, scope: ListScope): ItemFilter[] {
  const { id } = scope.viewer
  switch (name) {
    case 'created_by_me':
    case 'created-by-me':
      return [byAuthor(id ?? 0, scope)]
    case 'assigned_to_me':
    case 'assigned-to-me':
      return [byPerson(assigneesOf(scope.of), id ?? -1)]
    default:
      return []
  }
}
