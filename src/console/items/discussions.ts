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

/** How notes of a kind differ from others on their page. */
export interface OfNotes {
  /** The text that is shown; by default the body. */
  readonly textOf?: (note: Note) => string
  /** What stands below the text. */
  readonly below?: (note: Note) => readonly Html[]
  /** What the first note of a thread stands on, where its page does not show that. */
  readonly place?: ((note: Note) => string | undefined) | undefined
}

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
  /** By the ids of notes. */
  readonly notes: ReadonlyMap<number, Html>
}

/** Renders all texts of a page at once. */
export async function rendered(
  api: Api,
  place: TextPlace,
  text: string | null,
  discussions: List<Discussion> | undefined,
  { textOf = ({ body }) => body }: OfNotes = {},
): Promise<RenderedTexts> {
  const notes = (discussions?.items ?? []).flatMap((one) => one.notes)
  const [described, ...said] = await api.render([text ?? '', ...notes.map(textOf)], place)
  return {
    description: text === null || text === '' ? undefined : described,
    notes: new Map(notes.flatMap(({ id }, index) => entryOf(id, said[index]))),
  }
}

const entryOf = (id: number, text: Html | undefined): readonly (readonly [number, Html])[] =>
  text === undefined ? [] : [[id, text]]

/** @param tickable whether the visitor may tick its tasks: the page has the form `tick` */
export const description = ({ description: text }: RenderedTexts, tickable = false): Html =>
  text === undefined
    ? html`<p class="empty">There is no description.</p>`
    : withTasks(text, tickable ? 'tick' : undefined)

/** A text, with the form that ticks its tasks if it has some. */
const withTasks = (text: Html | undefined, tick: string | undefined): Html => {
  const isTicked = tick !== undefined && text?.text.includes('task-list-item-checkbox') === true
  return html`<div class="text" ${isTicked && html`data-tasks="${tick}"`}>${text}</div>`
}

/**
 * Threads and changes in their order.
 * @param count how many notes there are, also for those who may not read them here
 * @param talk what the visitor may say to them; undefined where nobody says anything
 * @param of how notes there differ from others
 */
export function activity(
  discussions: List<Discussion> | undefined,
  texts: RenderedTexts,
  count: number,
  talk?: Talk,
  of: OfNotes = {},
): Html | undefined {
  if (discussions !== undefined) return html`${discussions.items.map((one) => thread(one, texts, talk, of))}`
  return count > 0 ? html`<p class="empty">Sign in to read what people said.</p>` : undefined
}

/** A thread: its notes, and what may be done with it. */
export const thread = (
  { id, notes }: Discussion,
  texts: RenderedTexts,
  talk: Talk | undefined,
  of: OfNotes,
): Html => {
  const shown = notes.map((one, index) =>
    note(id, one, texts, talk, index === 0 ? of : { ...of, place: undefined }),
  )
  const [first] = notes
  const answers = first !== undefined && talk?.toThread(id, first)
  return notes.length === 1 ? html`${shown} ${answers}` : html`<div class="thread">${shown} ${answers}</div>`
}

function note(
  thread: string,
  shown: Note,
  { notes }: RenderedTexts,
  talk: Talk | undefined,
  { below, place }: OfNotes,
): Html {
  const when = since(shown.created_at)
  const on = place?.(shown)
  if (shown.system)
    return html`<div class="system" id="note_${shown.id}">
      ${person(shown.author)}
      <div class="text">${notes.get(shown.id)}</div>
      · ${when}
    </div>`
  return html`<article class="note" id="note_${shown.id}">
    <p class="quiet">
      ${person(shown.author)} · <a href="#note_${shown.id}">${when}</a>
      ${on !== undefined && `· ${on}`} ${shown.internal && html`<span class="badge">internal</span>`}
    </p>
    ${withTasks(notes.get(shown.id), talk?.tickOf(shown))} ${below?.(shown)}
    ${reactions(shown.reactions ?? [])} ${talk?.toNote(thread, shown)}
  </article>`
}
