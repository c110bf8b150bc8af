import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { discussionOn } from '#planning/discussions/entity.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import type { Api, List } from '../frame/api.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'

type Discussion = Static<ReturnType<typeof discussionOn>>
type Note = Discussion['notes'][number]

/** Threads on one page. */
const MOST_THREADS = 100

/** A page of what people said of something and did to it; undefined for strangers, whom the API does not tell. */
export async function discussionsOn(
  api: Api,
  kind: NoteableKind,
  address: string,
  page: number,
): Promise<List<Discussion> | undefined> {
  if (!api.isForSomebody) return undefined
  return api.list(discussionOn(kind), `${address}/discussions`, { page, per_page: MOST_THREADS })
}

export const description = (text: string | null): Html =>
  text === null || text === ''
    ? html`<p class="empty">There is no description.</p>`
    : html`<div class="text plain">${text}</div>`

/** Threads and changes in their order. @param notes how many notes there are, also for those who may not read them here */
export function activity(discussions: List<Discussion> | undefined, notes: number): Html | undefined {
  if (discussions !== undefined) return html`${discussions.items.map(thread)}`
  return notes > 0 ? html`<p class="empty">Sign in to read what people said.</p>` : undefined
}

const thread = ({ notes }: Discussion): Html =>
  notes.length === 1 ? html`${notes.map(note)}` : html`<div class="thread">${notes.map(note)}</div>`

function note(shown: Note): Html {
  const about = html`${person(shown.author)} · <a href="#note_${shown.id}">${since(shown.created_at)}</a>`
  if (shown.system)
    return html`<p class="system" id="note_${shown.id}">
      ${person(shown.author)} ${shown.body} · ${since(shown.created_at)}
    </p>`
  return html`<article class="note" id="note_${shown.id}">
    <p class="quiet">${about} ${shown.internal && html`<span class="badge">internal</span>`}</p>
    <div class="text plain">${shown.body}</div>
  </article>`
}
