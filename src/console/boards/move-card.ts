import { Board } from '#planning/boards/entity.ts'
import { IssueSingle } from '#planning/issues/entity.ts'
import { badRequest } from '#platform/refusals.ts'
import type { Action } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import type { ShownBoard } from './columns.ts'

/** A card that somebody moves: the issue, and the column that it is in. */
export interface Card {
  readonly project: number
  readonly iid: number
  /** The key of the column. */
  readonly from: string
}

export const cardKey = ({ project, iid, from }: Card): string => `${project}-${iid}-${from}`

/** @throws 400 for what names no card */
function cardIn(key: string): Card {
  const [, project, iid, from] = /^(\d{1,15})-(\d{1,10})-(open|closed|\d{1,15})$/.exec(key) ?? []
  if (project === undefined || iid === undefined || from === undefined)
    throw badRequest('there is no such card')
  return { project: Number(project), iid: Number(iid), from }
}

/** Gives an issue what the list has that it is moved to, and takes what the list has that it comes from. */
export const movesCard =
  (container: Container, board: number, key: string): Action =>
  async (api, { to }) => {
    const { project, iid, from } = cardIn(key)
    const address = path`/projects/${project}/issues/${iid}`
    const [shown, issue] = await Promise.all([
      api.get(Board, `${container.api}/boards/${board}`),
      api.get(IssueSingle, address),
    ])
    const target = typeof to === 'string' ? to : ''
    const lists = new Map(shown.lists.map((list) => [String(list.id), list]))
    const [left, entered] = [lists.get(from), lists.get(target)]
    if (entered === undefined && target !== 'open' && target !== 'closed')
      throw badRequest('the list is no longer on the board')
    await api.send('PUT', address, {
      ...labelsFor(left, entered),
      ...peopleFor(left, entered, issue.assignees),
      ...milestoneFor(left, entered),
      ...stateFor(issue.state, target),
    })
    return { says: 'The card is moved.', to: undefined }
  }

type List = ShownBoard['lists'][number] | undefined

const labelsFor = (left: List, entered: List) => ({
  ...(left?.label && { remove_labels: left.label.name }),
  ...(entered?.label && { add_labels: entered.label.name }),
})

function peopleFor(left: List, entered: List, assignees: readonly { readonly id: number }[]) {
  if (!left?.assignee && !entered?.assignee) return {}
  const others = assignees.map(({ id }) => id).filter((id) => id !== left?.assignee?.id)
  const all = new Set([...others, ...(entered?.assignee ? [entered.assignee.id] : [])])
  return { assignee_ids: all.size === 0 ? [0] : [...all] }
}

function milestoneFor(left: List, entered: List) {
  if (entered?.milestone) return { milestone_id: entered.milestone.id }
  return left?.milestone ? { milestone_id: 0 } : {}
}

function stateFor(state: string, target: string) {
  if (target === 'closed') return state === 'closed' ? {} : { state_event: 'close' }
  return state === 'closed' ? { state_event: 'reopen' } : {}
}
