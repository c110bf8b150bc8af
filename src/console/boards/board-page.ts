import { type Static, type TObject, Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { Board } from '#planning/boards/entity.ts'
import type { Issue } from '#planning/issues/entity.ts'
import { type Api, type List, unlessTooMuch } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { labelList } from '../frame/labels.ts'
import type { Visit } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { addressOf, emptyList, otherPages, pageNumber, pathIn } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { closedColumn, type Column, listColumns, openColumn, type ShownBoard } from './columns.ts'
import { cardField, movingCard, newBoard } from './board-forms.ts'
import { cardKey } from './move-card.ts'
import { issuesIn } from './issues-in.ts'

type ShownIssue = Static<typeof Issue>

/** Which part of a board an address shows, and the card that is about to be moved. */
export const BoardQuery = Type.Object({ page: pageNumber, move: Type.Optional(text({ max: 40 })) })
type Asked = Pick<Visit<TObject, typeof BoardQuery>, 'api' | 'forms' | 'query'>

/** Lists on one page of a board: each takes a request. */
const MOST_LISTS = 10
/** Issues in one column. */
const MOST_ISSUES = 20
/** Boards that others lead to. */
const MOST_BOARDS = 50

/** A board with some of its lists, each with its first issues. */
export async function boardPage(
  { api, forms, query: { page, move } }: Asked,
  container: Container,
  id: number,
): Promise<View> {
  const [board, boards, rights] = await Promise.all([
    api.get(Board, `${container.api}/boards/${id}`),
    boardsOf(api, container),
    rightsIn(api, container.api),
  ])
  const mayChange = rights.may('admin_board')
  const lists = listColumns(board)
  const first = (page - 1) * MOST_LISTS
  const next = first + MOST_LISTS < lists.length ? page + 1 : undefined
  const columns = [
    ...(board.hide_backlog_list || page > 1 ? [] : [openColumn(board)]),
    ...lists.slice(first, first + MOST_LISTS),
    ...(board.hide_closed_list || next !== undefined ? [] : [closedColumn(board)]),
  ]
  const address = container.page(`boards/${board.id}`)
  const everywhere = [openColumn(board), ...lists, closedColumn(board)]
  const cards: Cards | undefined = mayChange
    ? {
        form: (key, here) => (key === move ? movingCard(forms, key, here, everywhere) : undefined),
        address: (key) =>
          `${addressOf(address, { page: page > 1 ? page : undefined, move: key })}#${cardField(key)}`,
      }
    : undefined
  const shown = await Promise.all(
    columns.map(async (column) => ({
      column,
      issues: await issuesIn(api, container, column, { per_page: MOST_ISSUES }),
    })),
  )
  const body = html`<h1>${board.name}</h1>
    ${others(container.page('boards'), board, boards)} ${scope(board)}
    ${
      mayChange &&
      html`<div class="actions">
        <a class="button secondary" href="${address}/edit">Change the board</a> ${newBoard(forms)}
      </div>`
    }
    ${lists.length === 0 && html`<p class="hint">This board has no list yet. Each list is for a label, a person or a milestone. ${mayChange && html`<a href="${address}/edit">Add one</a>.`}</p>`}
    ${
      shown.length === 0
        ? emptyList('This board shows neither open nor closed issues, and has no list.')
        : html`<div class="board" role="region" aria-label="Lists of this board" tabindex="0">
            ${shown.map(({ column, issues }) =>
              columnPart(container, column, issues, {
                address: `${address}/lists/${column.key}`,
                cards,
                remove: mayChange ? removing(forms, column) : undefined,
              }),
            )}
          </div>`
    }
    ${otherPages({ next }, page, address, {})}`
  return { title: `${board.name} · Boards · ${container.title}`, body, place: container.header('Boards') }
}

/** The first boards of a place; none where they say too much to be read at once: a board is shown without its neighbours, too. */
async function boardsOf(api: Api, { api: address }: Container): Promise<List<ShownBoard>> {
  const boards = await unlessTooMuch(api.list(Board, `${address}/boards`, { per_page: MOST_BOARDS }))
  return boards ?? { items: [], total: undefined, next: undefined }
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

/** How cards are moved, where the visitor may. */
interface Cards {
  /** The form of a card that somebody has chosen. */
  readonly form: (key: string, column: string) => Html | undefined
  /** Where that form is. */
  readonly address: (key: string) => string
}

const removing = (forms: Forms, { key, name }: Column): Html | undefined =>
  key === 'open' || key === 'closed'
    ? undefined
    : forms.write({
        does: `remove-list/${key}`,
        submit: 'Remove',
        about: `the list ${name}`,
        asks: 'Its issues stay.',
      })

interface OfColumn {
  readonly address: string
  readonly cards: Cards | undefined
  readonly remove: Html | undefined
}

function columnPart(
  container: Container,
  column: Column,
  issues: List<ShownIssue>,
  { address, cards, remove }: OfColumn,
): Html {
  const { items } = issues
  return html`<section class="column" aria-labelledby="column-${column.key}">
    <h2 id="column-${column.key}">${column.title} <span class="count">${countOf(issues)}</span></h2>
    ${
      items.length === 0
        ? html`<p class="quiet">No issue.</p>`
        : html`<ul>
            ${items.map((issue) => html`<li>${card(container, column, issue)} ${cards && moving(cards, column, issue)}</li>`)}
          </ul>`
    }
    ${issues.next !== undefined && html`<p><a href="${address}">All ${countOf(issues)} in ${column.name}</a></p>`}
    ${remove}
  </section>`
}

function moving(
  { form, address }: Cards,
  { key: from }: Column,
  { project_id, iid, title }: ShownIssue,
): Html {
  const key = cardKey({ project: project_id, iid, from })
  return (
    form(key, from) ??
    html`<p class="quiet">
      <a href="${address(key)}">Move<span class="unseen"> ${title}</span></a>
    </p>`
  )
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
