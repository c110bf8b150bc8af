import { type Html, html } from '#platform/http/html.ts'
import type { List } from '../frame/api.ts'
import { emptyList } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { inWords } from '../parts/words.ts'

/** A move of repositories between storages, as lists show it. */
export interface Move {
  readonly id: number
  readonly name: string
  readonly address: string
  readonly state: string
  readonly from: string
  readonly to: string
  readonly created_at: string
}

/** What the API tells of moves of every kind. */
interface Told {
  readonly id: number
  readonly created_at: string
  readonly state: string
  readonly source_storage_name: string
  readonly destination_storage_name: string
}

/** @param nameOf what was moved, and where that is */
export const named = <T extends Told>(
  list: List<T> | undefined,
  nameOf: (move: T) => Pick<Move, 'name' | 'address'>,
): List<Move> | undefined =>
  list && {
    ...list,
    items: list.items.map((move) => ({
      id: move.id,
      created_at: move.created_at,
      state: move.state,
      from: move.source_storage_name,
      to: move.destination_storage_name,
      ...nameOf(move),
    })),
  }

const looks: Readonly<Record<string, string>> = { finished: 'good', failed: 'bad' }

export const moveRows = ({ items }: List<Move>): Html =>
  items.length === 0
    ? emptyList('Nothing was moved yet.')
    : html`<ul class="rows">
        ${items.map(
          ({ id, name, address, state, from, to, created_at }) =>
            html`<li>
              <div>
                <a href="${address}"><strong>${name}</strong></a> <span class="quiet">#${id}</span>
                <p class="quiet">from ${from} to ${to}, ${since(created_at)}</p>
              </div>
              <p class="aside"><span class="ci ${looks[state] ?? 'busy'}">${inWords(state)}</span></p>
            </li>`,
        )}
      </ul>`
