import type { Static } from 'typebox'
import { WikiPage } from '#code/wikis/entity.ts'
import { html } from '#platform/http/html.ts'
import { type Api, path } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { addressOfPage, howToWrite, namesBeside } from './page-list.ts'

/** A page, now or as of a version; undefined where there is none. */
export async function wikiPage(
  api: Api,
  container: Container,
  slug: string,
  version?: string,
): Promise<View | undefined> {
  const page = await api.find(WikiPage, container.api + path`/wikis/${slug}`, { version })
  return page && shownPage(api, container, page, version)
}

async function shownPage(
  api: Api,
  container: Container,
  { title, content, format, slug }: Static<typeof WikiPage>,
  version: string | undefined,
): Promise<View> {
  const isMarkdown = format === 'markdown'
  const [rights, beside, [rendered]] = await Promise.all([
    rightsIn(api, container.api),
    namesBeside(api, container, slug),
    isMarkdown ? api.render([content], { ...container.texts, wiki: container.page('wikis') }) : [],
  ])
  return {
    title: `${title} · Wiki · ${container.title}`,
    place: container.header('Wiki'),
    body: html`<div class="beside">
      <article>
        <h1>${title}</h1>
        ${
          version !== undefined &&
          html`<p class="quiet">
            As of <code>${version}</code>. <a href="${addressOfPage(container, slug)}">See it as it is now</a>
          </p>`
        }
        ${
          rights.may('edit_wiki') &&
          html`<p class="actions">
            <a class="button secondary" href="${addressOfPage(container, slug)}/edit">Change</a>
            <a class="button secondary" href="${container.page('wikis/new')}">New page</a>
          </p>`
        }
        ${isMarkdown ? html`<div class="text">${rendered}</div>` : html`<pre class="message" tabindex="0">${content}</pre>`}
      </article>
      ${beside}
    </div>`,
  }
}

/** What there is to say of a page that is not there, or was not at a version. */
export async function missingPage(
  api: Api,
  container: Container,
  slug: string,
  version?: string,
): Promise<View> {
  const [rights, beside] = await Promise.all([
    rightsIn(api, container.api),
    namesBeside(api, container, slug),
  ])
  return {
    title: `${slug} · Wiki · ${container.title}`,
    place: container.header('Wiki'),
    body: html`<div class="beside">
      <article>
        <h1>${slug}</h1>
        <p>
          ${version === undefined ? 'The wiki has no such page. It was never written, has another name now, or was deleted.' : html`The wiki has no such page as of <code>${version}</code>.`}
        </p>
        ${version === undefined && howToWrite(container, rights, slug)}
      </article>
      ${beside}
    </div>`,
  }
}
