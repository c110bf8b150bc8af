import type { Static } from 'typebox'
import type { Snippet } from '#code/snippets/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { pathIn } from './lists.ts'
import { since } from './moments.ts'

/** A snippet in a list. */
export function snippetRow(snippet: Static<typeof Snippet>): Html {
  const { web_url, title, visibility, author, created_at } = snippet
  return html`<div>
      <a href="${pathIn(web_url)}"><strong>${title}</strong></a> <span class="badge">${visibility}</span>
    </div>
    <p class="quiet aside">${author.username} · ${since(created_at)}</p>`
}
