import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import type { Board, BoardList } from '#planning/boards/entity.ts'
import { defined } from '#platform/defined.ts'
import { labelList } from '../frame/labels.ts'

export type ShownBoard = Static<typeof Board>
type List = Static<typeof BoardList>

/** A column of a board, and how the API is asked for its issues. */
export interface Column {
  /** How its address ends. */
  readonly key: string
  /** What it is called, as text and as it is shown. */
  readonly name: string
  readonly title: Html
  /** The label that all of its issues have. */
  readonly label?: string | undefined
  /** Parameters of a list of issues; undefined where no issue can be in it. */
  readonly filter: Readonly<Record<string, unknown>> | undefined
}

/** What issues have, by name. */
interface Traits {
  readonly labels: readonly string[]
  readonly people: readonly string[]
  readonly milestones: readonly string[]
}

/** The columns of lists, in their order. */
export const listColumns = (board: ShownBoard): readonly Column[] =>
  board.lists.map((list) => listColumn(board, list))

function listColumn(board: ShownBoard, list: List): Column {
  const [scope, own] = [traitsOf(board), traitsOfList(list)]
  const all: Traits = {
    labels: joined(scope.labels, own.labels),
    people: joined(scope.people, own.people),
    milestones: joined(scope.milestones, own.milestones),
  }
  const [name = ''] = [...own.labels, ...own.milestones, ...(list.assignee ? [list.assignee.name] : [])]
  return {
    key: String(list.id),
    name,
    title: titleOf(list, name),
    label: list.label?.name,
    // Nothing is in two milestones.
    filter: all.milestones.length > 1 ? undefined : { state: 'opened', ...filterOf(board, all), ...inOrder },
  }
}

const titleOf = ({ label, assignee }: List, name: string): Html =>
  label === null
    ? html`${name} <span class="badge">${assignee ? 'person' : 'milestone'}</span>`
    : html`${labelList([label])}`

/** The column of open issues that are in no list. */
export function openColumn(board: ShownBoard): Column {
  const listed = board.lists.map(traitsOfList)
  const filter = {
    state: 'opened',
    ...filterOf(board, traitsOf(board)),
    not: {
      labels: listed.flatMap(({ labels }) => labels),
      assignee_username: listed.flatMap(({ people }) => people),
      milestones: listed.flatMap(({ milestones }) => milestones),
    },
    ...inOrder,
  }
  return { key: 'open', name: 'Open', title: html`Open`, filter }
}

export function closedColumn(board: ShownBoard): Column {
  const filter = {
    state: 'closed',
    ...filterOf(board, traitsOf(board)),
    order_by: 'updated_at',
    sort: 'desc',
  }
  return { key: 'closed', name: 'Closed', title: html`Closed`, filter }
}

/** Issues of open columns are in the order that people gave them. */
const inOrder = { order_by: 'relative_position', sort: 'asc' } as const

interface Named {
  readonly labels: readonly { readonly name: string }[]
  readonly assignee?: { readonly username: string } | null | undefined
  readonly milestone?: { readonly title: string } | null | undefined
}

const traitsOf = ({ labels, assignee, milestone }: Named): Traits => ({
  labels: labels.map(({ name }) => name),
  people: assignee ? [assignee.username] : [],
  milestones: milestone ? [milestone.title] : [],
})

const traitsOfList = ({ label, ...rest }: List): Traits =>
  traitsOf({ labels: label === null ? [] : [label], ...rest })

const joined = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])]

/** What an issue needs to have all of these. */
const filterOf = ({ weight }: ShownBoard, { labels, people, milestones: [milestone] }: Traits) =>
  defined({ labels, assignee_username: people, milestone, weight: weight ?? undefined })
