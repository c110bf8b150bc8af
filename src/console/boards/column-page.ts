import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { Board } from '#planning/boards/entity.ts'
import type { Api } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { emptyList, otherPages, pathIn } from '../frame/lists.ts'
import type { View } from '../frame/show.ts'
import { itemRow } from '../items/row.ts'
import { closedColumn, listColumns, openColumn } from './columns.ts'
import { issuesIn } from './issues-in.ts'

interface ColumnAddress {
  readonly board: number
  /** `open`, `closed` or the id of a list. */
  readonly key: string
  readonly page: number
}

/** All issues in one column of a board, on pages. */
export async function columnPage(
  api: Api,
  container: Container,
  { board: id, key, page }: ColumnAddress,
): Promise<View> {
  const board = await api.get(Board, `${container.api}/boards/${id}`)
  const column = [openColumn(board), ...listColumns(board), closedColumn(board)].find(
    (one) => one.key === key,
  )
  if (column === undefined) throw notFound()
  const issues = await issuesIn(api, container, column, { page })
  const address = container.page(`boards/${board.id}`)
  const rows = issues.items.map(
    (issue) => html`<li>${itemRow(issue, issue.references[container.reference], pathIn(issue.web_url))}</li>`,
  )
  const body = html`<h1>${column.name}</h1>
    <p><a href="${address}">← ${board.name}</a></p>
    ${
      rows.length === 0
        ? emptyList('No issue is in this list.')
        : html`<ul class="rows">
            ${rows}
          </ul>`
    }
    ${otherPages(issues, page, `${address}/lists/${key}`, {})}`
  return {
    title: `${column.name} · ${board.name} · ${container.title}`,
    body,
    place: container.header('Boards'),
  }
}
