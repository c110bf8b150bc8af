import { type Html, html } from '#platform/http/html.ts'
import type { List, Query } from '../frame/api.ts'
import { emptyList, NO_MORE, otherPages } from '../frame/lists.ts'

interface Rows<T> {
  readonly list: List<T>
  readonly row: (item: T) => Html
  /** What an empty list says. */
  readonly none: string
  /** Where the list is, with the filters that are set. */
  readonly page: number
  readonly address: string
  readonly query?: Query
}

/** A list, or what to do while it is empty, with links to its other pages. */
export const rows = <T>({ list, row, none, page, address, query = {} }: Rows<T>): Html =>
  html`${
    list.items.length === 0
      ? emptyList(page === 1 ? none : NO_MORE)
      : html`<ul class="rows">
          ${list.items.map((item) => html`<li>${row(item)}</li>`)}
        </ul>`
  }
  ${otherPages(list, page, address, query)}`
