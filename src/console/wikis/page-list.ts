import type { Static } from 'typebox'
import { ListedWikiPage } from '#code/wikis/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Api, List } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { addressOf, emptyList, needsLicense, otherPages } from '../frame/lists.ts'
import { slashed } from '../frame/project.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'

/** Names that the list of all pages shows at once, and the list beside a page. A wiki may have 50,000. */
const MOST_NAMES = 100

type Listed = Static<typeof ListedWikiPage>

/** The address of a wiki page. */
export const addressOfPage = (container: Container, slug: string): string =>
  container.page(`wikis/${slashed(slug)}`)

const listPages = (api: Api, container: Container, page: number): Promise<List<Listed>> =>
  api.list(ListedWikiPage, `${container.api}/wikis`, { page, per_page: MOST_NAMES })

/** All pages of a wiki by their paths. */
export async function allPages(api: Api, container: Container, page: number): Promise<View> {
  const [list, rights] = await Promise.all([
    // The header of a group leads here whether it has a wiki or not.
    container.kind === 'group'
      ? api.findList(ListedWikiPage, `${container.api}/wikis`, { page, per_page: MOST_NAMES })
      : listPages(api, container, page),
    rightsIn(api, container.api),
  ])
  const view = { title: `Wiki · ${container.title}`, place: container.header('Wiki') }
  if (list === undefined)
    return {
      ...view,
      body: html`<h1>Wiki</h1>
        ${needsLicense('Wikis of groups', 'There is no wiki here that you may see.')}`,
    }
  return {
    ...view,
    body: html`<h1>Wiki</h1>
      ${list.items.length === 0 ? none(container, page, rights) : html`${newPage(container, rights)} ${names(container, list.items)}`}
      ${otherPages(list, page, container.page('wikis/pages'), {})}`,
  }
}

const none = (container: Container, page: number, rights: Rights): Html =>
  page > 1
    ? emptyList('There is nothing more.')
    : html`<p class="empty">There is no page yet. The page named home becomes the first one of the wiki.</p>
        ${howToWrite(container, rights, 'home')}`

/** Leads those who may write to a new page. */
export const newPage = (container: Container, rights: Rights): Html | false =>
  rights.may('edit_wiki') &&
  html`<p class="actions">
    <a class="button secondary" href="${container.page('wikis/new')}">New page</a>
  </p>`

/** What those do who may write here, where a page is missing. */
export const howToWrite = (container: Container, rights: Rights, title: string): Html =>
  rights.may('edit_wiki')
    ? html`<p class="actions">
        <a class="button" href="${addressOf(container.page('wikis/new'), { title })}">Write the page</a>
      </p>`
    : html`<p class="empty">
        Developers of the ${container.kind} write pages here, with Git, or by the API: see
        <a href="/help/wikis">Wikis</a>.
      </p>`

/** The first names, for beside a page. */
export async function namesBeside(api: Api, container: Container, here: string): Promise<Html> {
  const list = await listPages(api, container, 1)
  return html`<nav aria-label="Pages of the wiki">
    ${names(container, list.items, here)}
    <p>
      <a href="${container.page('wikis/pages')}"
        >${list.next === undefined ? 'All pages' : 'All pages, also those that are not here'}</a
      >
    </p>
  </nav>`
}

const names = (container: Container, pages: readonly Listed[], here?: string): Html =>
  html`<ul class="names">
    ${pages.map(
      ({ slug, title }) =>
        html`<li>
          <a href="${addressOfPage(container, slug)}" ${slug === here && html`aria-current="page"`}
            >${slug.includes('/') ? slug : title}</a
          >
        </li>`,
    )}
  </ul>`
