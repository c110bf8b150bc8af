import type { Html } from '#platform/http/html.ts'
import { invalid } from '#platform/refusals.ts'
import { type Action, asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import type { Actions } from '../frame/form-page.ts'
import { fieldId, type Forms } from '../frame/forms.ts'
import { Board } from '#planning/boards/entity.ts'
import { emptyAsNull, withChosen } from '../settings/common-fields.ts'
import type { Column } from './columns.ts'
import { movesCard } from './move-card.ts'

/** The name of a new board. */
export const newBoard = (forms: Forms): Html =>
  forms.write({
    does: 'make',
    submit: 'Make the board',
    opens: 'New board',
    fields: [{ name: 'name', label: 'Name', required: true }],
  })

/** The id of the field that says where a card goes: browsers go to it. */
export const cardField = (key: string): string => fieldId(`move/${key}`, 'to')

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

/** What the forms of a board do. @param board undefined where there is none yet */
export function boardActions(container: Container, board: number | undefined): Actions {
  const boards = container.page('boards')
  const made = { method: 'POST', path: `${container.api}/boards`, says: 'The board is made.' } as const
  const make = () => makes(Board, made, ({ id }) => `${boards}/${id}`)
  if (board === undefined) return { make }
  const one = `${container.api}${path`/boards/${board}`}`
  return {
    make,
    'remove-list': (id) =>
      asks({ method: 'DELETE', path: `${one}${path`/lists/${id}`}`, says: 'The list is removed.' }),
    move: (key) => movesCard(container, board, key),
  }
}

/** What the forms do that change a board. */
export function changingActions(container: Container, board: number): Actions {
  const boards = container.page('boards')
  const to = `${boards}/${board}`
  const one = `${container.api}${path`/boards/${board}`}`
  return {
    save: () =>
      emptyAsNull(
        withChosen(asks({ method: 'PUT', path: one, says: 'The board is changed.', to })),
        'assignee_id',
        'milestone_id',
        'weight',
      ),
    delete: () => asks({ method: 'DELETE', path: one, says: 'The board is deleted.', to: boards }),
    'add-list': () => addsList(`${one}/lists`),
  }
}

/** The form names the kind and the id in one: `label_id/12`. */
const addsList =
  (address: string): Action =>
  async (api, { for: chosen }) => {
    const [, kind, id] =
      /^(label_id|assignee_id|milestone_id)\/(\d+)$/.exec(typeof chosen === 'string' ? chosen : '') ?? []
    if (kind === undefined) throw invalid({ for: ['is no label, person or milestone'] })
    await api.send('POST', address, { [kind]: id })
    return { says: 'The list is added.', to: undefined }
  }
