import { Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import { discussionOn } from '#planning/discussions/entity.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { noteOn } from '#planning/notes/entity.ts'
import { type Action, asks } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { type Reacting, reactions, toggles } from './reactions.ts'
import { addressOf, pageNumber } from '../frame/lists.ts'
import { ticks } from './tasks.ts'

/** Which notes an address shows. */
export const TalkQuery = Type.Object({ page: pageNumber, note: Type.Optional(integer({ minimum: 1 })) })

/** A further button of a form. */
interface Other {
  readonly does: string
  readonly submit: string
}

/** A note, as its forms need it. */
interface Note {
  readonly id: number
  readonly body: string
  readonly system: boolean
  readonly resolvable: boolean
  readonly resolved?: boolean | undefined
  readonly author: { readonly id: number; readonly name: string }
}

/** Which part of the notes a page shows. */
interface At {
  /** The address of the page. */
  readonly here: string
  readonly page: number
  /** The note whose forms are shown. */
  readonly note: number | undefined
  /** Further buttons of the form that replies to a note. */
  readonly replies?: (thread: string, note: Note) => readonly Other[]
}

interface Rights {
  /** The visitor; undefined for strangers. */
  readonly me: number | undefined
  readonly mayWrite: boolean
  /** Other people's notes, too. */
  readonly mayChangeAll: boolean
  readonly mayWriteInternal: boolean
  /** Threads; all who may write if it is missing. */
  readonly mayResolve?: boolean
}

const COMMENT = {
  name: 'body',
  label: 'Comment',
  is: 'markup',
  required: true,
  hint: 'Markdown. Lines such as /label ~bug or /assign @name change what this is about.',
} as const

/** The forms with which people say something: a comment, a reply, a change of what they said. */
export class Talk {
  readonly #forms: Forms
  readonly #rights: Rights
  readonly #at: At

  constructor(forms: Forms, rights: Rights, at: At) {
    this.#forms = forms
    this.#rights = rights
    this.#at = at
  }

  /** @param others further buttons, which comment and do something else, too */
  comment(others: readonly Other[] = []): Html | undefined {
    const { me, mayWrite, mayWriteInternal } = this.#rights
    if (!mayWrite) return me === undefined ? html`<p class="empty">Sign in to say something.</p>` : undefined
    const internal = {
      name: 'internal',
      label: 'Only for members',
      is: 'check',
      hint: 'Planners and above read it.',
    } as const
    return html`<section aria-label="Say something" id="write">
      ${this.#forms.write({
        does: 'comment',
        submit: 'Comment',
        fields: mayWriteInternal ? [COMMENT, internal] : [COMMENT],
        others: [{ does: 'discuss', submit: 'Start a thread' }, ...others],
      })}
    </section>`
  }

  /** How the visitor reacts to something; undefined for those who may not. */
  reacting(does = 'react'): Reacting | undefined {
    return this.#rights.mayWrite ? { forms: this.#forms, does } : undefined
  }

  /** What one may do with a thread besides answering: resolve it, or open it again. */
  toThread(id: string, first: Note): Html | undefined {
    const { mayWrite, mayResolve = mayWrite } = this.#rights
    if (!mayWrite || !mayResolve || !first.resolvable) return undefined
    const [does, submit] = first.resolved === true ? ['unresolve', 'Open again'] : ['resolve', 'Resolve']
    return this.#forms.write({
      does: `${does}/${id}`,
      submit,
      looks: 'secondary',
      about: `the thread of ${first.author.name}`,
    })
  }

  /** A way to answer and to change a note; the forms for that where somebody has gone it. One line for each note: forms are long. */
  toNote(thread: string, note: Note): Html | undefined {
    const { id, body, system, author } = note
    if (system || !this.#rights.mayWrite) return undefined
    const isTheirs = this.#mayChange(note)
    const about = `the comment of ${author.name}`
    const [reply, edit] = [`reply/${thread}`, `edit-note/${id}`]
    if (this.#at.note !== id && !this.#forms.isRefused(edit))
      return html`<p class="quiet">
        <a href="${this.#address(id)}#note_${id}"
          >${isTheirs ? 'Reply, react, change' : 'Reply, react'}<span class="unseen"> (${about})</span></a
        >
      </p>`
    const field = { ...COMMENT, hint: undefined }
    return html`${reactions([], this.reacting(`react-note/${id}`))}
    ${this.#forms.write({ does: reply, submit: 'Reply', about: `to ${author.name}`, fields: [{ ...field, label: 'Reply' }], others: this.#at.replies?.(thread, note) })}
    ${
      isTheirs &&
      html`${this.#forms.write({ does: edit, opens: 'Change', submit: 'Save', about, fields: [{ ...field, value: body }] })}
      ${this.#forms.write({ does: `delete-note/${id}`, submit: 'Delete', asks: 'It cannot be brought back.', about })}`
    }`
  }

  /** The form that ticks the tasks of a note; undefined for those who may not change it. */
  tickOf(note: Note): string | undefined {
    return this.#rights.mayWrite && this.#mayChange(note) ? `tick-note/${note.id}` : undefined
  }

  #mayChange({ author }: Note): boolean {
    return author.id === this.#rights.me || this.#rights.mayChangeAll
  }

  #address(note: number): string {
    const { here, page } = this.#at
    return addressOf(here, { page: page > 1 ? page : undefined, note })
  }
}

/**
 * What the forms of {@link Talk} do.
 * @param me the visitor
 * @param address of what is talked about, in the API; `awards` where reactions have another one
 * @param here the address of its page
 * @param note where one goes on after a reply; the top of the page if it is missing
 */
export const talkActions = (
  me: number | undefined,
  kind: NoteableKind,
  address: string,
  {
    here,
    page,
    note,
    awards = address,
  }: Pick<At, 'here' | 'page'> & Partial<Pick<At, 'note'>> & { readonly awards?: string },
): Actions => ({
  comment: () => says(kind, address, here, `${address}/notes`),
  discuss: () => says(kind, address, here, `${address}/discussions`),
  reply: (id) =>
    asks({
      method: 'POST',
      path: `${address}${path`/discussions/${id}/notes`}`,
      says: 'You replied.',
      to: addressOf(here, { page }) + (note === undefined ? '' : `#note_${note}`),
    }),
  'edit-note': (id) =>
    asks({
      method: 'PUT',
      path: `${address}${path`/notes/${id}`}`,
      says: 'The comment is changed.',
      to: addressOf(here, { page }) + `#note_${id}`,
    }),
  'delete-note': (id) =>
    asks({
      method: 'DELETE',
      path: `${address}${path`/notes/${id}`}`,
      says: 'The comment is deleted.',
      to: addressOf(here, { page }),
    }),
  react: (name) => toggles(awards, name, me),
  'react-note': (which) => {
    const [id = '', name = ''] = which.split('/')
    return toggles(`${awards}${path`/notes/${id}`}`, name, me)
  },
  'tick-note': (id) =>
    ticks(
      noteOn(kind),
      {
        path: `${address}${path`/notes/${id}`}`,
        parameter: 'body',
        to: addressOf(here, { page }) + `#note_${id}`,
      },
      ({ body, updated_at }) => ({ text: body, updated_at }),
    ),
  resolve: (id) => resolves(address, id, true),
  unresolve: (id) => resolves(address, id, false),
})

const resolves = (address: string, id: string, resolved: boolean): Action =>
  asks({
    method: 'PUT',
    path: `${address}${path`/discussions/${id}`}`,
    also: { resolved },
    says: resolved ? 'The thread is resolved.' : 'The thread is open again.',
  })

/** Threads on one page. */
export const THREADS = 20

/** Says something, and leads to the last page, where it is. */
const says =
  (kind: NoteableKind, address: string, here: string, to: string): Action =>
  async (api, parameters) => {
    await api.send('POST', to, parameters)
    const last = Math.max(1, Math.ceil((await countThreads(api, kind, address)) / THREADS))
    return { says: 'You commented.', to: `${here}${last > 1 ? `?page=${last}` : ''}#write` }
  }

const countThreads = async (api: Api, kind: NoteableKind, address: string): Promise<number> => {
  const { total } = await api.list(discussionOn(kind), `${address}/discussions`, { per_page: 1 })
  return total ?? 0
}
