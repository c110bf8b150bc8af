import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import type { Board, BoardList } from '#planning/boards/entity.ts'
import type { Query } from '../frame/api.ts'
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
  /** Undefined where no issue can be in it. */
  readonly query: Query | undefined
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
  const [scope, own] = [
    traitsOf(board),
    traitsOf({ labels: list.label === null ? [] : [list.label], ...list }),
  ]
  const all: Traits = {
    labels: joined(scope.labels, own.labels),
    people: joined(scope.people, own.people),
    milestones: joined(scope.milestones, own.milestones),
  }
  const [name = ''] = [...own.labels, ...own.milestones, ...(list.assignee ? [list.assignee.name] : [])]
  return {
    key: String(list.id),
    name,
    title: list.label === null ? html`${name}` : html`${labelList([list.label])}`,
    // Nothing is in two milestones.
    query: all.milestones.length > 1 ? undefined : { state: 'opened', ...queryFor(board, all), ...inOrder },
  }
}

/** The column of open issues that are in no list. */
export function openColumn(board: ShownBoard): Column {
  const listed = board.lists.map((list) =>
    traitsOf({ labels: list.label === null ? [] : [list.label], ...list }),
  )
  const query = {
    state: 'opened',
    ...queryFor(board, traitsOf(board)),
    'not[labels]': written(listed.flatMap(({ labels }) => labels)),
    'not[assignee_username]': written(listed.flatMap(({ people }) => people)),
    'not[milestones]': written(listed.flatMap(({ milestones }) => milestones)),
    ...inOrder,
  }
  return { key: 'open', name: 'Open', title: html`Open`, query }
}

export function closedColumn(board: ShownBoard): Column {
  const query = { state: 'closed', ...queryFor(board, traitsOf(board)), order_by: 'updated_at', sort: 'desc' }
  return { key: 'closed', name: 'Closed', title: html`Closed`, query }
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

const joined = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])]

const queryFor = ({ weight }: ShownBoard, { labels, people, milestones: [milestone] }: Traits): Query => ({
  labels: written(labels),
  assignee_username: written(people),
  milestone,
  weight: weight ?? undefined,
})

/** A list in a query. */
const written = (names: readonly string[]) => (names.length === 0 ? undefined : JSON.stringify(names))
