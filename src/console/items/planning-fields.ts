import { Member } from '#tenancy/members/entity.ts'
import { ProjectLabel } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import type { Api, List } from '../frame/api.ts'
import type { Field, Option } from '../frame/fields.ts'
import type { Person } from '../frame/people.ts'

/** People, labels and milestones that a form offers. Others can be set by a line in a comment, such as `/assign @name`. */
const MOST = 100

/** What is set already. */
interface Planned {
  readonly assignees: readonly (Person & { readonly id: number })[]
  readonly labels: readonly (string | { readonly name: string })[]
  readonly milestone: { readonly id: number; readonly title: string } | null
}

const NOTHING: Planned = { assignees: [], labels: [], milestone: null }

/** The fields with which members plan an issue or a merge request. @param address of the project, in the API */
export async function planningFields(
  api: Api,
  address: string,
  { assignees, milestone, ...planned }: Planned = NOTHING,
): Promise<readonly Field[]> {
  const [members, allLabels, milestones] = await Promise.all([
    api.list(Member, `${address}/members/all`, { per_page: MOST, state: 'active' }),
    api.list(ProjectLabel, `${address}/labels`, { per_page: MOST }),
    api.list(Milestone, `${address}/milestones`, {
      per_page: MOST,
      state: 'active',
      include_ancestors: true,
    }),
  ])
  const labels = planned.labels.map((label) => (typeof label === 'string' ? label : label.name))
  return [
    {
      name: 'assignee_ids',
      label: 'Assigned to',
      is: 'choices',
      hint: more(members),
      value: assignees.map(({ id }) => String(id)),
      options: offered([...members.items, ...assignees], ({ id, name, username }) => ({
        value: String(id),
        label: `${name} (@${username})`,
      })),
    },
    {
      name: 'labels',
      label: 'Labels',
      is: 'choices',
      hint: more(allLabels),
      value: labels,
      options: offered([...allLabels.items.map(({ name }) => name), ...labels], (name) => ({
        value: name,
        label: name,
      })),
    },
    {
      name: 'milestone_id',
      label: 'Milestone',
      is: 'choice',
      value: milestone?.id ?? '',
      options: [
        { value: '', label: 'None' },
        ...offered([...milestones.items, ...(milestone === null ? [] : [milestone])], ({ id, title }) => ({
          value: String(id),
          label: title,
        })),
      ],
    },
  ]
}

const more = (list: List<unknown>): string | undefined =>
  list.next === undefined ? undefined : `The first ${MOST} are offered. A line in a comment sets others.`

/** Each once, in the order of the list. */
function offered<T>(all: readonly T[], optionOf: (one: T) => Option): readonly Option[] {
  return [...new Map(all.map(optionOf).map((option) => [option.value, option])).values()]
}
