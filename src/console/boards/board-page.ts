import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { Board } from '#planning/boards/entity.ts'
import type { Issue } from '#planning/issues/entity.ts'
import { type Api, type List, TooMuchForPage } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { labelList } from '../frame/labels.ts'
import { emptyList, otherPages, pathIn } from '../frame/lists.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { closedColumn, type Column, listColumns, openColumn, type ShownBoard } from './columns.ts'
import { issuesIn } from './issues-in.ts'

type ShownIssue = Static<typeof Issue>

/** Lists on one page of a board: each takes a request. */
const MOST_LISTS = 10
/** Issues in one column. */
const MOST_ISSUES = 20
/** Boards that others lead to. */
const MOST_BOARDS = 50

/** A board with some of its lists, each with its first issues. */
export async function boardPage(api: Api, container: Container, id: number, page: number): Promise<View> {
  const [board, boards] = await Promise.all([
    api.get(Board, `${container.api}/boards/${id}`),
    boardsOf(api, container),
  ])
  const lists = listColumns(board)
  const first = (page - 1) * MOST_LISTS
  const next = first + MOST_LISTS < lists.length ? page + 1 : undefined
  const columns = [
    ...(board.hide_backlog_list || page > 1 ? [] : [openColumn(board)]),
    ...lists.slice(first, first + MOST_LISTS),
    ...(board.hide_closed_list || next !== undefined ? [] : [closedColumn(board)]),
  ]
  const address = container.page(`boards/${board.id}`)
  const shown = await Promise.all(
    columns.map(async (column) => ({
      column,
      issues: await issuesIn(api, container, column, { per_page: MOST_ISSUES }),
    })),
  )
  const body = html`<h1>${board.name}</h1>
    ${others(container.page('boards'), board, boards)} ${scope(board)}
    ${lists.length === 0 && html`<p class="hint">This board has no list yet. Each list is for a label, a person or a milestone.</p>`}
    ${
      shown.length === 0
        ? emptyList('This board shows neither open nor closed issues, and has no list.')
        : html`<div class="board" role="region" aria-label="Lists of this board" tabindex="0">
            ${shown.map(({ column, issues }) => columnPart(container, column, issues, `${address}/lists/${column.key}`))}
          </div>`
    }
    ${otherPages({ items: lists, total: lists.length, next }, page, address, {})}`
  return { title: `${board.name} · Boards · ${container.title}`, body, place: container.header('Boards') }
}

/** The first boards of a place; none where they say too much to be read at once: a board is shown without its neighbours, too. */
async function boardsOf(api: Api, { api: address }: Container): Promise<List<ShownBoard>> {
  try {
    return await api.list(Board, `${address}/boards`, { per_page: MOST_BOARDS })
  } catch (error) {
    if (error instanceof TooMuchForPage) return { items: [], total: undefined, next: undefined }
    throw error
  }
}

/** The other boards of the same place. */
function others(address: string, here: ShownBoard, { items, next }: List<ShownBoard>): Html | undefined {
  const rest = items.filter(({ id }) => id !== here.id)
  if (rest.length === 0) return undefined
  return html`<details class="others">
    <summary>Other boards</summary>
    <ul>
      ${rest.map(({ id, name }) => html`<li><a href="${address}/${id}">${name}</a></li>`)}
    </ul>
    ${next !== undefined && html`<p class="quiet">These are the first ${MOST_BOARDS}.</p>`}
  </details>`
}

/** Which issues a board is about. */
const scope = ({ labels, milestone, assignee, weight }: ShownBoard): Html | undefined =>
  facts([
    ['Labels', labels.length > 0 ? html`${labelList(labels)}` : undefined],
    ['Milestone', milestone === null ? undefined : html`${milestone.title}`],
    ['Assigned to', assignee === null ? undefined : person(assignee)],
    ['Weight', weight === null ? undefined : html`${weight}`],
  ])

function columnPart(container: Container, column: Column, issues: List<ShownIssue>, address: string): Html {
  const { items } = issues
  return html`<section class="column" aria-labelledby="column-${column.key}">
    <h2 id="column-${column.key}">${column.title} <span class="count">${countOf(issues)}</span></h2>
    ${
      items.length === 0
        ? html`<p class="quiet">No issue.</p>`
        : html`<ul>
            ${items.map((issue) => html`<li>${card(container, column, issue)}</li>`)}
          </ul>`
    }
    ${issues.next !== undefined && html`<p><a href="${address}">All ${countOf(issues)} in ${column.name}</a></p>`}
  </section>`
}

/** Lists of more issues than totals count do not say how many there are. */
const countOf = ({ total }: List<unknown>): string =>
  total === undefined ? 'more than 10,000' : String(total)

function card({ reference }: Container, { label }: Column, issue: ShownIssue): Html {
  const { assignees } = issue
  const labels = issue.labels.filter((one) => typeof one === 'string' || one.name !== label)
  return html`<a class="title" href="${pathIn(issue.web_url)}">${issue.title}</a>
    ${issue.confidential && html`<span class="badge">confidential</span>`}
    ${labels.length > 0 && html`<p>${labelList(labels)}</p>`}
    <p class="quiet">
      ${issue.references[reference]} ${issue.weight !== null && html`· weight ${issue.weight}`}
      ${issue.due_date !== null && html`· due <time datetime="${issue.due_date}">${issue.due_date}</time>`}
      ${assignees.length > 0 && html`· ${assignees.map((one, index) => html`${index > 0 && ', '}${person(one)}`)}`}
    </p>`
}
