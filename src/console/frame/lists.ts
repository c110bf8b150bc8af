import { Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import type { List, Query } from './api.ts'

/** Which page of a list an address names. */
export const pageNumber = Type.Integer({ minimum: 1, maximum: 100_000, default: 1 })

/** A link to another page of the same list, with the filters that are set. */
export const addressOf = (address: string, query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  if (pairs.length === 0) return address
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(pairs).toString()}`
}

/**
 * Links to the pages before and after one of a list; nothing where it is the only one.
 * @param name the parameter of the address that names the page
 */
export function otherPages(
  list: Pick<List<unknown>, 'next'>,
  page: number,
  address: string,
  query: Query,
  name = 'page',
): Html | undefined {
  if (page === 1 && list.next === undefined) return undefined
  const link = (number: number, title: string) => {
    const other = addressOf(address, { ...query, [name]: number === 1 ? undefined : number })
    return html`<a href="${other}">${title}</a>`
  }
  return html`<nav class="pages" aria-label="Pages">
    ${page > 1 && link(page - 1, '← Before')} <span class="quiet">Page ${page}</span>
    ${list.next !== undefined && link(list.next, 'Next →')}
  </nav>`
}

/** A choice among lists of the same place: `Open`, `Closed`. */
export const choices = (
  label: string,
  options: readonly { readonly title: string; readonly address: string; readonly here: boolean }[],
): Html =>
  html`<nav class="tabs" aria-label="${label}">
    ${options.map(
      ({ title, address, here }) =>
        html`<a href="${address}" ${here && html`aria-current="page"`}>${title}</a>`,
    )}
  </nav>`

/** What a page of a list says that has others, and nothing on it. */
export const NO_MORE = 'There is nothing more.'

/** What a list says when nothing is in it, and what to do next. */
export const emptyList = (sentence: string): Html => html`<p class="empty">${sentence}</p>`

/**
 * What a page says that is nothing without a license.
 * @param what needs it, in the plural
 * @param also what else may be the reason
 */
export const needsLicense = (what: string, also?: string): Html =>
  html`<p class="empty">
    ${also} ${what} need a license for Premium. Whoever runs the instance can issue one to it:
    <a href="/help/licenses">Licenses</a>.
  </p>`

/** An address of this server without its host, which may be another one than the visitor uses. */
export function pathIn(url: string): string {
  const { pathname, search, hash } = new URL(url)
  return pathname + search + hash
}
