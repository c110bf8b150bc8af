import type { Static, TSchema } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import type { Api, Query } from './api.ts'
import { addressOf, emptyList, otherPages } from './lists.ts'

/** A list of the API as a page shows it. */
export interface ListPage<S extends TSchema> {
  readonly title: string
  /** The path of the API, and what the page always asks of it. */
  readonly api: string
  readonly query?: Query
  /** What the route declares of each item. */
  readonly item: S
  /** What is in the row of an item. */
  readonly row: (item: Static<S>) => Html
  /** What to do where there is nothing. */
  readonly none: string
  /** What the search field looks for, where the API searches. */
  readonly search?: string
  /** Lists beside this one. */
  readonly tabs?: Html | undefined
  /** Where one is made, for those who may. */
  readonly make?: { readonly title: string; readonly address: string } | false | undefined
}

/** Which part of a list is asked for. */
export interface Asked {
  readonly page: number
  readonly search?: string | undefined
}

/**
 * A list with its search, and links to its other pages.
 * @param here the address of the page
 * @param filters parameters of the page's address that the API is asked with, too
 */
export async function listOf<S extends TSchema>(
  api: Api,
  here: string,
  { title, api: address, query, item, row, none, search: label, tabs, make }: ListPage<S>,
  { page, search }: Asked,
  filters: Query = {},
): Promise<Html> {
  const list = await api.list(item, address, { ...query, ...filters, search, page })
  const isFiltered = search !== undefined || Object.values(filters).some((value) => value !== undefined)
  return html`<h1>${title}</h1>
    ${make && html`<p class="actions"><a class="button" href="${make.address}">${make.title}</a></p>`} ${tabs}
    ${label !== undefined && searchField(label, here, search)} ${removable(here, { ...filters, search })}
    ${
      list.items.length === 0
        ? emptyList(isFiltered ? 'Nothing fits these filters.' : none)
        : html`<ul class="rows">
            ${list.items.map((one) => html`<li>${row(one)}</li>`)}
          </ul>`
    }
    ${otherPages(list, page, here, { ...filters, search })}`
}

/** The field that searches a list. @param kept what else narrows the list, and stays */
export const searchField = (label: string, here: string, search?: string, kept: Query = {}): Html =>
  html`<form class="search" method="get" action="${here}" role="search">
    <label class="unseen" for="search">${label}</label>
    <input id="search" type="search" name="search" value="${search}" maxlength="255" placeholder="${label}" />
    ${Object.entries(kept).map(
      ([name, value]) =>
        value !== undefined && html`<input type="hidden" name="${name}" value="${String(value)}" />`,
    )}
    <button type="submit" class="secondary">Search</button>
  </form>`

/** The filters that are set as words, each of which can be removed. @param kept what else narrows the list, and stays */
export function removable(here: string, filters: Query, kept: Query = {}): Html | undefined {
  const set = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '')
  if (set.length === 0) return undefined
  return html`<ul class="filters" aria-label="Filters">
    ${set.map(
      ([name, value]) =>
        html`<li>
          <a href="${addressOf(here, { ...kept, ...filters, [name]: undefined })}" title="Remove this filter"
            >${name.replaceAll('_', ' ')}: ${String(value)} <span aria-hidden="true">×</span
            ><span class="unseen">remove</span></a
          >
        </li>`,
    )}
  </ul>`
}
