import { ProjectLabel, GroupLabel } from '#planning/labels/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks, makes } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { Board } from '#planning/boards/entity.ts'
import type { Column, ShownBoard } from './columns.ts'
import { movesCard } from './move-card.ts'

/** Labels that the form of a new list offers. */
const MOST = 100

/** The name of a new board. */
export const newBoard = (forms: Forms): Html =>
  forms.write({
    does: 'make',
    submit: 'Make the board',
    opens: 'New board',
    fields: [{ name: 'name', label: 'Name', required: true }],
  })

/** Forms that change a board: its name, its lists, and its end. */
export async function changingBoard(
  api: Api,
  forms: Forms,
  container: Container,
  board: ShownBoard,
): Promise<Html> {
  const query = { per_page: MOST }
  const labels =
    container.kind === 'project'
      ? await api.list(ProjectLabel, `${container.api}/labels`, query)
      : await api.list(GroupLabel, `${container.api}/labels`, query)
  const listed = new Set(board.lists.map(({ label }) => label?.id))
  const options = labels.items
    .filter(({ id }) => !listed.has(id))
    .map(({ id, name }) => ({ value: String(id), label: name }))
  return html`<div class="actions">
    ${
      options.length > 0 &&
      forms.write({
        does: 'add-list',
        opens: 'Add a list',
        submit: 'Add the list',
        fields: [{ name: 'label_id', label: 'For the label', is: 'choice', options }],
      })
    }
    ${forms.write({
      does: 'save',
      opens: 'Change the board',
      submit: 'Save',
      fields: [
        { name: 'name', label: 'Name', value: board.name, required: true },
        {
          name: 'hide_backlog_list',
          label: 'Without open issues that are in no list',
          is: 'check',
          value: board.hide_backlog_list,
        },
        {
          name: 'hide_closed_list',
          label: 'Without closed issues',
          is: 'check',
          value: board.hide_closed_list,
        },
      ],
    })}
    ${newBoard(forms)}
    ${forms.write({ does: 'delete', submit: 'Delete', about: 'the board', asks: 'Its issues stay.' })}
  </div>`
}

/** Where a card can go. */
export const movingCard = (forms: Forms, key: string, here: string, columns: readonly Column[]): Html =>
  forms.write({
    does: `move/${key}`,
    submit: 'Move',
    fields: [
      {
        name: 'to',
        label: 'To',
        is: 'choice',
        options: columns
          .filter((one) => one.key !== here)
          .map((one) => ({ value: one.key, label: one.name })),
      },
    ],
  })

/** What the forms of boards do. @param board undefined where there is none yet */
export function boardActions(container: Container, board: number | undefined): Actions {
  const boards = container.page('boards')
  const made = { method: 'POST', path: `${container.api}/boards`, says: 'The board is made.' } as const
  const make = () => makes(Board, made, ({ id }) => `${boards}/${id}`)
  if (board === undefined) return { make }
  const one = `${container.api}${path`/boards/${board}`}`
  return {
    make,
    save: () => asks({ method: 'PUT', path: one, says: 'The board is changed.' }),
    delete: () => asks({ method: 'DELETE', path: one, says: 'The board is deleted.', to: boards }),
    'add-list': () => asks({ method: 'POST', path: `${one}/lists`, says: 'The list is added.' }),
    'remove-list': (id) =>
      asks({ method: 'DELETE', path: `${one}${path`/lists/${id}`}`, says: 'The list is removed.' }),
    move: (key) => movesCard(container, board, key),
  }
}
