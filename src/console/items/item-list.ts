import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { oneOf, text } from '#platform/http/schema.ts'
import type { Api, Query } from '../frame/api.ts'
import { removable, searchField } from '../frame/list-page.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber } from '../frame/lists.ts'

/** The states of a kind of items, with what a list of those is called. The first is shown if none is asked for. */
type States = Readonly<Record<string, string>>

export const issueStates = { opened: 'Open', closed: 'Closed', all: 'All' } as const
export const mergeRequestStates = { opened: 'Open', merged: 'Merged', closed: 'Closed', all: 'All' } as const

const orders = {
  created_at: 'Newest',
  updated_at: 'Last changed',
  popularity: 'Most liked',
  due_date: 'Due first',
} as const
type Order = keyof typeof orders
const isOrder = (name: string): name is Order => name in orders
const orderNames = Object.keys(orders).filter(isOrder)

/** Filters that lists of issues and merge requests have in common, by the names of the API. */
const filters = {
  search: Type.Optional(text()),
  labels: Type.Optional(text({ max: 1_024 })),
  milestone: Type.Optional(text()),
  author_username: Type.Optional(text()),
  assignee_username: Type.Optional(text()),
  order_by: Type.Optional(oneOf(orderNames)),
  page: pageNumber,
}

export const IssueFilter = Type.Object({
  state: Type.Optional(oneOf(['opened', 'closed', 'all'])),
  ...filters,
})
export const MergeRequestFilter = Type.Object({
  state: Type.Optional(oneOf(['opened', 'merged', 'closed', 'all'])),
  ...filters,
})

type Filter = Static<typeof IssueFilter> | Static<typeof MergeRequestFilter>

/** A list of issues or of merge requests. */
export interface ItemList<S extends TSchema> {
  readonly title: string
  /** The address of the page. */
  readonly here: string
  /** The path of the API, and what the page always asks of it. */
  readonly api: string
  readonly query?: Query
  readonly item: S
  readonly states: States
  readonly row: (item: Static<S>) => Html
  /** What to do where there is none. */
  readonly none: string
  /** Where one is made, for those who are signed in. */
  readonly make?: { readonly title: string; readonly address: string } | undefined
  /** Where several of them are changed, for those who may. */
  readonly several?: string | undefined
}

/** What narrows a list: fields that were left empty narrow nothing. */
export const narrowed = (given: Query): Query =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))

/** Items in a list that one can narrow. */
export async function itemList<S extends TSchema>(
  api: Api,
  list: ItemList<S>,
  { page, state, ...given }: Filter,
): Promise<Html> {
  const { here, states } = list
  const [usual = ''] = Object.keys(states)
  const asked = narrowed(given)
  const found = await api.list(list.item, list.api, {
    ...list.query,
    ...asked,
    sort: given.order_by === 'due_date' ? 'asc' : undefined,
    state: state ?? usual,
    page,
    with_labels_details: true,
  })
  const { search = '', ...words } = asked
  const query = { state, ...asked }
  return html`<h1>${list.title}</h1>
    ${actions(list, found.items.length > 0 ? query : undefined)}
    ${searchField('Words in titles and descriptions', here, String(search), { state, ...words })}
    ${choices(
      'State',
      Object.entries(states).map(([name, title]) => ({
        title,
        address: addressOf(here, { ...asked, state: name === usual ? undefined : name }),
        here: name === (state ?? usual),
      })),
    )}
    ${removable(here, { search, ...words }, { state })} ${filterForm(here, query)}
    ${
      found.items.length === 0
        ? emptyList(Object.keys(asked).length === 0 ? list.none : 'Nothing fits these filters.')
        : html`<ul class="rows">
            ${found.items.map((one) => html`<li>${list.row(one)}</li>`)}
          </ul>`
    }
    ${otherPages(found, page, here, query)}`
}

/** @param query what narrows the list; undefined where it is empty */
function actions(
  { make, several }: Pick<ItemList<TSchema>, 'make' | 'several'>,
  query?: Query,
): Html | undefined {
  const hasSeveral = several !== undefined && query !== undefined
  if (make === undefined && !hasSeveral) return undefined
  return html`<p class="actions">
    ${make && html`<a class="button" href="${make.address}">${make.title}</a>`}
    ${hasSeveral && html`<a class="button secondary" href="${addressOf(several, query)}">Change several</a>`}
  </p>`
}

const fields = {
  author_username: 'Author',
  assignee_username: 'Assigned to',
  labels: 'Labels, with commas',
  milestone: 'Milestone',
} as const

/** Narrows a list further, and orders it. */
function filterForm(here: string, query: Query): Html {
  const { search, state, order_by } = query
  return html`<details class="filter">
    <summary>Filter and order</summary>
    <form method="get" action="${here}">
      ${Object.entries({ search, state }).map(
        ([name, value]) =>
          value !== undefined && html`<input type="hidden" name="${name}" value="${String(value)}" />`,
      )}
      ${Object.entries(fields).map(
        ([name, label]) =>
          html`<label
            >${label} <input name="${name}" value="${String(query[name] ?? '')}" maxlength="255"
          /></label>`,
      )}
      <label
        >Order
        <select name="order_by">
          ${orderNames.map(
            (name) =>
              html`<option value="${name}" ${name === order_by && html`selected`}>${orders[name]}</option>`,
          )}
        </select></label
      >
      <button type="submit" class="secondary">Apply</button>
    </form>
  </details>`
}
