import { GroupLabel, ProjectLabel } from '#planning/labels/entity.ts'
import { MAX_LISTS } from '#planning/boards/limits.ts'
import { type Html, html } from '#platform/http/html.ts'
import { Member } from '#tenancy/members/entity.ts'
import type { Api, List } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import type { Field, Option } from '../frame/fields.ts'
import type { Forms } from '../frame/forms.ts'
import { milestoneOption, offered, offeredMilestones, personOption } from '../items/planning-fields.ts'
import type { ShownBoard } from './columns.ts'

/** Labels, people and milestones that the forms offer, of each kind. */
const MOST = 100

/** What boards and lists can be for. */
interface Choices {
  readonly labels: List<{ readonly id: number; readonly name: string }>
  readonly people: List<{ readonly id: number; readonly name: string; readonly username: string }>
  readonly milestones: List<{ readonly id: number; readonly title: string }>
}

async function choicesOf(api: Api, { kind, api: address }: Container): Promise<Choices> {
  const query = { per_page: MOST }
  const [labels, people, milestones] = await Promise.all([
    kind === 'project'
      ? api.list(ProjectLabel, `${address}/labels`, query)
      : api.list(GroupLabel, `${address}/labels`, query),
    api.list(Member, `${address}/members/all`, { ...query, state: 'active' }),
    offeredMilestones(api, address),
  ])
  return { labels, people, milestones }
}

/** Forms that change a board: its name, which issues it is about, its lists, and its end. */
export async function boardForms(
  api: Api,
  forms: Forms,
  container: Container,
  board: ShownBoard,
): Promise<Html> {
  const choices = await choicesOf(api, container)
  const options = listOptions(board, choices)
  return html`${forms.write({
      does: 'save',
      submit: 'Save',
      about: 'the board',
      changes: true,
      fields: boardFields(board, choices),
    })}
    <h2>Lists</h2>
    ${
      options.length === 0 || board.lists.length >= MAX_LISTS
        ? html`<p class="empty">
            ${board.lists.length >= MAX_LISTS ? `A board has ${MAX_LISTS} lists at most.` : 'A list is for a label, a person or a milestone, and there is none that has no list yet.'}
          </p>`
        : forms.write({
            does: 'add-list',
            submit: 'Add the list',
            fields: [
              {
                name: 'for',
                label: 'A list for',
                is: 'choice',
                hint: Object.values(choices).some(({ next }) => next !== undefined)
                  ? `The first ${MOST} of each kind are offered; the API takes others.`
                  : undefined,
                options,
              },
            ],
          })
    }
    <h2>Delete</h2>
    ${forms.write({ does: 'delete', submit: 'Delete', about: 'the board', asks: 'Its issues stay.' })}`
}

/** What has no list yet. The value is the parameter of the API, and the id. */
function listOptions({ lists }: ShownBoard, { labels, people, milestones }: Choices): readonly Option[] {
  const listed = new Set(
    lists.flatMap(({ label, assignee, milestone }) => [
      `label_id/${label?.id}`,
      `assignee_id/${assignee?.id}`,
      `milestone_id/${milestone?.id}`,
    ]),
  )
  return [
    ...labels.items.map(({ id, name }) => ({ value: `label_id/${id}`, label: `Label: ${name}` })),
    ...people.items.map(personOption).map(({ value, label }) => ({
      value: `assignee_id/${value}`,
      label: `Person: ${label}`,
    })),
    ...milestones.items.map(({ id, title }) => ({
      value: `milestone_id/${id}`,
      label: `Milestone: ${title}`,
    })),
  ].filter(({ value }) => !listed.has(value))
}

const boardFields = (board: ShownBoard, { labels, people, milestones }: Choices): readonly Field[] => [
  { name: 'name', label: 'Name', value: board.name, required: true },
  {
    name: 'hide_backlog_list',
    label: 'Without open issues that are in no list',
    is: 'check',
    value: board.hide_backlog_list,
  },
  { name: 'hide_closed_list', label: 'Without closed issues', is: 'check', value: board.hide_closed_list },
  ...chosenLabels(
    board.labels.map(({ name }) => name),
    labels.items.map(({ name }) => name),
  ),
  {
    name: 'assignee_id',
    label: 'Only issues assigned to',
    is: 'choice',
    value: board.assignee?.id ?? '',
    options: [ANY, ...offered([...people.items, ...(board.assignee ? [board.assignee] : [])], personOption)],
  },
  {
    name: 'milestone_id',
    label: 'Only issues of the milestone',
    is: 'choice',
    value: board.milestone?.id ?? '',
    options: [
      ANY,
      ...offered([...milestones.items, ...(board.milestone ? [board.milestone] : [])], milestoneOption),
    ],
  },
  {
    name: 'weight',
    label: 'Only issues with the weight',
    is: 'number',
    hint: 'Empty: any.',
    value: board.weight,
  },
]

const ANY: Option = { value: '', label: 'Any' }

function chosenLabels(chosen: readonly string[], all: readonly string[]): readonly Field[] {
  const options = offered([...all, ...chosen], (name) => ({ value: name, label: name }))
  if (options.length === 0) return []
  return [
    { name: 'labels', label: 'Only issues with all of these labels', is: 'choices', value: chosen, options },
  ]
}
