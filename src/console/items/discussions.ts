import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { discussionOn } from '#planning/discussions/entity.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import type { TextPlace } from '#planning/markup/render-texts.ts'
import type { Api, List } from '../frame/api.ts'
import { since } from '../frame/moments.ts'
import { reactions } from './reactions.ts'
import { person } from '../frame/people.ts'
import { type Talk, THREADS } from './talk.ts'

type Discussion = Static<ReturnType<typeof discussionOn>>
/** A page of the threads on something. */
export type Discussions = List<Discussion>
type Note = Discussion['notes'][number]

/** A page of what people said of something and did to it; undefined for strangers, whom the API does not tell. */
export async function discussionsOn(
  api: Api,
  kind: NoteableKind,
  address: string,
  page: number,
): Promise<Discussions | undefined> {
  if (!api.isForSomebody) return undefined
  return api.list(discussionOn(kind), `${address}/discussions`, {
    page,
    per_page: THREADS,
    with_reactions: true,
  })
}

/** The description of something and the notes of a page on it, as HTML. */
export interface RenderedTexts {
  readonly description: Html | undefined
  /** By the ids of notes; changes have none. */
  readonly notes: ReadonlyMap<number, Html>
}

/** Renders all texts of a page at once. */
export async function rendered(
  api: Api,
  place: TextPlace,
  text: string | null,
  discussions: List<Discussion> | undefined,
): Promise<RenderedTexts> {
  const notes = (discussions?.items ?? []).flatMap((one) => one.notes).filter(({ system }) => !system)
  const [described, ...said] = await api.render([text ?? '', ...notes.map(({ body }) => body)], place)
  return {
    description: text === null || text === '' ? undefined : described,
    notes: new Map(notes.flatMap(({ id }, index) => entryOf(id, said[index]))),
  }
}

const entryOf = (id: number, text: Html | undefined): readonly (readonly [number, Html])[] =>
  text === undefined ? [] : [[id, text]]

export const description = ({ description: text }: RenderedTexts): Html =>
  text === undefined
    ? html`<p class="empty">There is no description.</p>`
    : html`<div class="text">${text}</div>`

/**
 * Threads and changes in their order.
 * @param count how many notes there are, also for those who may not read them here
 * @param talk what the visitor may say to them; undefined where nobody says anything
 */
export function activity(
  discussions: List<Discussion> | undefined,
  texts: RenderedTexts,
  count: number,
  talk?: Talk,
): Html | undefined {
  if (discussions !== undefined) return html`${discussions.items.map((one) => thread(one, texts, talk))}`
  return count > 0 ? html`<p class="empty">Sign in to read what people said.</p>` : undefined
}

const thread = ({ id, notes }: Discussion, texts: RenderedTexts, talk: Talk | undefined): Html => {
  const shown = notes.map((one) => note(id, one, texts, talk))
  const [first] = notes
  const answers = first !== undefined && talk?.toThread(id, first)
  return notes.length === 1 ? html`${shown} ${answers}` : html`<div class="thread">${shown} ${answers}</div>`
}

function note(thread: string, shown: Note, { notes }: RenderedTexts, talk: Talk | undefined): Html {
  const when = since(shown.created_at)
  if (shown.system)
    return html`<p class="system" id="note_${shown.id}">${person(shown.author)} ${shown.body} · ${when}</p>`
  return html`<article class="note" id="note_${shown.id}">
    <p class="quiet">
      ${person(shown.author)} · <a href="#note_${shown.id}">${when}</a>
      ${shown.internal && html`<span class="badge">internal</span>`}
    </p>
    <div class="text">${notes.get(shown.id)}</div>
    ${reactions(shown.reactions ?? [])} ${talk?.toNote(thread, shown)}
  </article>`
}
