import { WikiPageChange } from '#code/wikis/entity.ts'
import { html } from '#platform/http/html.ts'
import { type Api, path } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { addressOf } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import type { View } from '../frame/show.ts'
import { type DiffView, shownDiffs } from '../repository/diffs.ts'
import { addressOfPage } from './page-list.ts'

/** How a version of a page differs from the one before; undefined where there was no such page. */
export async function changePage(
  api: Api,
  container: Container,
  slug: string,
  version: string,
  query: Omit<DiffView, 'here' | 'page'>,
): Promise<View | undefined> {
  const change = await api.find(WikiPageChange, container.api + path`/wikis/${slug}/diff`, { version })
  if (change === undefined) return undefined
  const { commit_id, parent_id, message, author_name, committed_date, diffs } = change
  const page = addressOfPage(container, slug)
  const at = (commit: string) => addressOf(`${page}/diff`, { version_id: commit })
  const isFirst = parent_id === null || diffs.every(({ new_file }) => new_file)
  const isGone = diffs.every(({ deleted_file }) => deleted_file)
  return {
    title: `Change of ${slug} · Wiki · ${container.title}`,
    place: container.header('Wiki'),
    body: html`<h1>Change of ${slug}</h1>
      <p class="quiet">${author_name} · ${since(committed_date)} · <code>${commit_id}</code></p>
      <pre class="message" tabindex="0">${message}</pre>
      <p>
        ${!isGone && html`<a href="${addressOf(page, { version_id: commit_id })}">The page after this change</a> · `}
        ${!isFirst && html`<a href="${at(parent_id)}">The change before</a> · `}
        <a href="${page}">The page as it is now</a>
      </p>
      ${shownDiffs(diffs, { here: at(commit_id), ...query })}`,
  }
}
