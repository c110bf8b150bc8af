import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { ListedWikiPage, WikiPage } from '#code/wikis/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { type Html, html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { notFound } from '#platform/refusals.ts'
import { Api, path } from '../frame/api.ts'
import { ByContainer, type Container, OfContainer, projectsAndGroups } from '../frame/container.ts'
import { emptyList } from '../frame/lists.ts'
import { slashed } from '../frame/project.ts'
import { show, type View } from '../frame/show.ts'

const BySlug = Type.Object({ ...OfContainer, slug: text({ max: MAX_PATH }) })

/** Names of pages that the list beside a page shows. */
const MOST_NAMES = 500

type Listed = Static<typeof ListedWikiPage>

/** Wiki pages, with the names of all beside each. */
export const wikiPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  for (const { at, open } of projectsAndGroups) {
    app.get(`${at}/wikis`, { config, schema: { params: ByContainer } }, async (req, reply) => {
      const api = new Api(req)
      const container = await open(api, req, req.params.container)
      return show(req, reply, await wikiHome(api, container))
    })

    app.get(`${at}/wikis/:slug`, { config, schema: { params: BySlug } }, async (req, reply) => {
      const api = new Api(req)
      const container = await open(api, req, req.params.container)
      const { slug } = req.params
      const view = slug === 'pages' ? await allPages(api, container) : await wikiPage(api, container, slug)
      return show(req, reply, view)
    })
  }
}

/** The page `home`, or all pages where there is none of that name. */
async function wikiHome(api: Api, container: Container): Promise<View> {
  const home = await api.find(WikiPage, `${container.api}/wikis/home`)
  return home === undefined ? allPages(api, container) : shownPage(api, container, home)
}

async function wikiPage(api: Api, container: Container, slug: string): Promise<View> {
  const found = await api.find(WikiPage, container.api + path`/wikis/${slug}`)
  if (found === undefined) throw notFound()
  return shownPage(api, container, found)
}

async function shownPage(api: Api, container: Container, shown: Static<typeof WikiPage>): Promise<View> {
  const { title, content, format, slug } = shown
  const isMarkdown = format === 'markdown'
  const [pages, [rendered]] = await Promise.all([
    api.list(ListedWikiPage, `${container.api}/wikis`),
    isMarkdown ? api.render([content], { ...container.texts, wiki: container.page('wikis') }) : [],
  ])
  return {
    title: `${title} · Wiki · ${container.title}`,
    place: container.header('Wiki'),
    body: html`<div class="beside">
      <article>
        <h1>${title}</h1>
        ${isMarkdown ? html`<div class="text">${rendered}</div>` : html`<pre class="message" tabindex="0">${content}</pre>`}
      </article>
      <nav aria-label="Pages of the wiki">${names(container, pages.items, slug)}</nav>
    </div>`,
  }
}

async function allPages(api: Api, container: Container): Promise<View> {
  const { items } = await api.list(ListedWikiPage, `${container.api}/wikis`)
  return {
    title: `Wiki · ${container.title}`,
    place: container.header('Wiki'),
    body: html`<h1>Wiki</h1>
      ${items.length === 0 ? emptyList('There is no page yet. The page named home becomes the first one of the wiki.') : names(container, items)}`,
  }
}

function names(container: Container, pages: readonly Listed[], here?: string): Html {
  const left = pages.length - MOST_NAMES
  return html`<ul class="names">
      ${pages.slice(0, MOST_NAMES).map(
        ({ slug, title }) =>
          html`<li>
            <a
              href="${container.page(`wikis/${slashed(slug)}`)}"
              ${slug === here && html`aria-current="page"`}
              >${slug.includes('/') ? slug : title}</a
            >
          </li>`,
      )}
    </ul>
    ${left > 0 && html`<p class="quiet">${left} more are not shown.</p>`}`
}
