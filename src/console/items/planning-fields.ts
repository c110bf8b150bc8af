import type { Static } from 'typebox'
import { Member } from '#tenancy/members/entity.ts'
import { ProjectLabel } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { type Api, type List, unlessTooMuch } from '../frame/api.ts'
import type { Field, Option } from '../frame/fields.ts'
import type { Person } from '../frame/people.ts'

/** People, labels and milestones that a form offers. Others can be set by a line in a comment, such as `/assign @name`. */
const MOST = 100

/** What is set already. */
interface Planned {
  readonly assignees: readonly (Person & { readonly id: number })[]
  readonly labels: readonly (string | { readonly name: string })[]
  readonly milestone: { readonly id: number; readonly title: string } | null
  /** Of merge requests alone. */
  readonly reviewers?: readonly (Person & { readonly id: number })[]
}

const NOTHING: Planned = { assignees: [], labels: [], milestone: null }

/** Of a merge request that is not there yet. */
export const NO_MERGE_REQUEST: Planned = { ...NOTHING, reviewers: [] }

/** The fields with which members plan an issue or a merge request. @param address of the project, in the API */
export async function planningFields(
  api: Api,
  address: string,
  { assignees, milestone, reviewers, ...planned }: Planned = NOTHING,
): Promise<readonly Field[]> {
  const [members, allLabels, milestones] = await Promise.all([
    api.list(Member, `${address}/members/all`, { per_page: MOST, state: 'active' }),
    api.list(ProjectLabel, `${address}/labels`, { per_page: MOST }),
    offeredMilestones(api, address),
  ])
  const labels = planned.labels.map((label) => (typeof label === 'string' ? label : label.name))
  const names = [...allLabels.items.map(({ name }) => name), ...labels]
  const people = (name: string, label: string, chosen: Planned['assignees']): Field => ({
    name,
    label,
    is: 'choices',
    hint: more(members),
    value: chosen.map(({ id }) => String(id)),
    options: offered([...members.items, ...chosen], personOption),
  })
  return [
    people('assignee_ids', 'Assigned to', assignees),
    ...(reviewers === undefined ? [] : [people('reviewer_ids', 'Reviewers', reviewers)]),
    ...(names.length === 0
      ? []
      : [
          {
            name: 'labels',
            label: 'Labels',
            is: 'choices',
            hint: more(allLabels),
            value: labels,
            options: offered(names, (name) => ({ value: name, label: name })),
          } as const,
        ]),
    {
      name: 'milestone_id',
      label: 'Milestone',
      is: 'choice',
      hint: more(milestones),
      value: milestone?.id ?? '',
      options: [
        { value: '', label: 'None' },
        ...offered([...milestones.items, ...(milestone === null ? [] : [milestone])], milestoneOption),
      ],
    },
  ]
}

/** The milestones that a form offers: none where their descriptions are too long together, which is no reason to offer no form. */
export async function offeredMilestones(api: Api, address: string): Promise<List<Static<typeof Milestone>>> {
  const query = { per_page: MOST, state: 'active', include_ancestors: true }
  const some = await unlessTooMuch(api.list(Milestone, `${address}/milestones`, query))
  return some ?? { items: [], total: undefined, next: 1 }
}

function more({ items, next }: List<unknown>): string | undefined {
  if (next === undefined) return undefined
  const some = items.length === 0 ? 'There are too many to be offered.' : `The first ${MOST} are offered.`
  return `${some} A line in a comment sets others.`
}

/** How somebody is offered. */
export const personOption = ({ id, name, username }: Person & { readonly id: number }): Option => ({
  value: String(id),
  label: `${name} (@${username})`,
})

/** How a milestone is offered. */
export const milestoneOption = ({ id, title }: { readonly id: number; readonly title: string }): Option => ({
  value: String(id),
  label: title,
})

/** What can be chosen, with what is chosen already: each once, in the order of the list. */
export function offered<T>(all: readonly T[], optionOf: (one: T) => Option): readonly Option[] {
  return [...new Map(all.map(optionOf).map((option) => [option.value, option])).values()]
}
