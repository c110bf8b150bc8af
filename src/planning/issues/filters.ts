import { sql } from 'kysely'
import { everything, nothing } from '#planning/noteables/list/conditions.ts'
import { collector, sharedFilters } from '#planning/noteables/list/filters.ts'
import type { Names } from '#planning/noteables/list/names.ts'
import type { ItemFilter } from '#planning/noteables/list/item-filter.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import { byEpic } from './by-epic.ts'
import { due, weighing } from './conditions.ts'
import type { Filter, NegatableFilter } from './filter-parameters.ts'

/** What a request asks of the issues of a list, one entry for each filter; a blank filter does not count. */
export const filtersOf = (filter: Filter, names: Names, scope: ListScope): ItemFilter[] => [
  ...sharedFilters(filter, names, scope),
  ...wanted(filter),
  ...unwanted(filter.not ?? {}),
  ...further(filter, scope),
]

/** What `not` can turn around. */
function wanted(filter: NegatableFilter): ItemFilter[] {
  const { found, few, many } = collector()
  ;(typeof filter.weight === 'number' ? few : many)(filter.weight, weighing)
  many(filter.iteration_id, (iteration) => (iteration === 'None' ? everything : nothing))
  many(filter.iteration_title, () => nothing)
  return found
}

function unwanted(filter: NegatableFilter): ItemFilter[] {
  const { found, not } = collector()
  not(filter.weight, weighing)
  not(filter.iteration_id, (iteration) => (iteration === 'None' ? everything : nothing))
  not(filter.iteration_title, () => nothing)
  if (filter.milestones?.length) not(filter.milestones, inOneOf)
  return found
}

/** By the titles of milestones. */
const inOneOf = (titles: readonly string[]) =>
  sql<boolean>`i.milestone_id = any(array(select m.id from milestones m where m.title = any(${[...titles]}::text[])))`

function further(filter: Filter, { viewer }: ListScope): ItemFilter[] {
  const { found, add, few, many } = collector()
  ;(filter.confidential === true ? few : many)(
    filter.confidential,
    (confidential) => sql<boolean>`i.confidential = ${confidential}`,
  )
  ;(filter.issue_type === 'issue' ? many : few)(
    filter.issue_type,
    (type) => sql<boolean>`i.issue_type = ${type}`,
  )
  few(filter.due_date, (when) => due(when, viewer.today))
  few(filter.closed_by_id, (user) => sql<boolean>`i.closed_by_id = ${user}`)
  add(filter.epic_id, (epic) => byEpic(epic, viewer))
  many(filter.health_status, (health) => (health === 'none' ? everything : nothing))
  return found
}
