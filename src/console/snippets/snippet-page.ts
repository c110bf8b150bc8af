import type { Static } from 'typebox'
import { Snippet } from '#code/snippets/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type Api, path } from '../frame/api.ts'
import { otherPages, pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, type Discussions, rendered } from '../items/discussions.ts'
import { shownFile } from '../repository/file.ts'

/** Files that a page shows; the others have links. */
const MOST_FILES = 4
/** Bytes of one. */
const MOST_BYTES = 512 * 1024

interface Surroundings {
  readonly here: string
  /** The path of the project; undefined for snippets of people. */
  readonly fullPath?: string
  /** Whether the visitor may change a snippet of somebody. */
  readonly mayChange: (author: number) => boolean
  readonly discussions?: { readonly list: Discussions; readonly page: number }
}

/** A snippet with its files. @param address its path in the API @throws 404 */
export async function snippetPage(
  api: Api,
  address: string,
  { here, fullPath, discussions, mayChange }: Surroundings,
): Promise<View> {
  const snippet = await api.get(Snippet, address)
  const { title, description, visibility, author, created_at, files, http_url_to_repo } = snippet
  const [shown, texts] = await Promise.all([
    Promise.all(files.slice(0, MOST_FILES).map((file) => shownIn(api, address, file))),
    rendered(api, { path: fullPath }, description, discussions?.list),
  ])
  return {
    title,
    body: html`<article>
      <h1>${title} <span class="badge">${visibility}</span></h1>
      <p class="quiet">${person(author)} · ${since(created_at)}</p>
      ${
        mayChange(author.id) &&
        html`<p class="actions"><a class="button secondary" href="${here}/edit">Change</a></p>`
      }
      ${texts.description !== undefined && html`<div class="text">${texts.description}</div>`}
      <details class="clone">
        <summary>Clone</summary>
        <p><code>git clone ${http_url_to_repo}</code></p>
      </details>
      ${shown}
      ${files.slice(MOST_FILES).map(({ path: name, raw_url }) => html`<p><a href="${pathIn(raw_url)}">${name}</a></p>`)}
      ${
        discussions !== undefined &&
        html`<section aria-label="Activity">
          ${activity(discussions.list, texts, 0)} ${otherPages(discussions.list, discussions.page, here, {})}
        </section>`
      }
    </article>`,
  }
}

type SnippetFile = Static<typeof Snippet>['files'][number]

async function shownIn(api: Api, address: string, { path: name, raw_url }: SnippetFile): Promise<Html> {
  const [, ref = 'main'] = /\/raw\/([^/]+)\//.exec(raw_url) ?? []
  const file = path`/files/${decodeURIComponent(ref)}/${name}/raw`
  const head = await api.findHead(address + file)
  const size = Number(head?.get('content-length') ?? 0)
  const whole = size > MOST_BYTES ? undefined : await api.findText(address + file)
  const text = whole?.slice(0, 8_000).includes('\0') === true ? undefined : whole
  return html`<section class="file" aria-label="${name}">
    <h2>${name} <a class="quiet" href="${pathIn(raw_url)}">Raw</a></h2>
    ${shownFile({ name, size, commit: undefined, text })}
  </section>`
}
