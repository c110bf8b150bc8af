import type { Static } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import { DraftNote } from '#code/merge-requests/draft-notes/entity.ts'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Api, List } from '../frame/api.ts'
import type { Forms } from '../frame/forms.ts'

type Draft = Static<typeof DraftNote>
type Diff = Static<typeof DiffEntity>

/** Draft notes on one page. Those after them show as soon as these are published. */
const MOST = 20

const NOTE = { name: 'note', label: 'Comment', is: 'markup', required: true } as const

/** The visitor's draft notes on a merge request; undefined for strangers. @param address its path in the API */
export const draftsOn = async (api: Api, address: string): Promise<List<Draft> | undefined> =>
  api.isForSomebody ? api.list(DraftNote, `${address}/draft_notes`, { per_page: MOST }) : undefined

/** A form that starts a thread on a line of one of these files: now, or as a draft. */
export function lineForm(
  forms: Forms,
  { diff_refs: refs }: Static<typeof MergeRequestSingle>,
  diffs: readonly Diff[],
): Html | undefined {
  const files = diffs.filter(({ diff }) => diff !== '')
  if (files.length === 0) return undefined
  return forms.write({
    does: 'draft-line',
    opens: 'Comment on a line',
    submit: 'Keep as a draft',
    others: [{ does: 'comment-line', submit: 'Comment now' }],
    fields: [
      { name: 'head_sha', label: '', is: 'hidden', value: refs.head_sha },
      {
        name: 'file',
        label: 'File',
        is: 'choice',
        options: files.map(({ new_path }) => ({ value: new_path, label: new_path })),
      },
      {
        name: 'side',
        label: 'The line is numbered',
        is: 'choice',
        value: 'new',
        options: [
          { value: 'new', label: 'as it is afterwards' },
          { value: 'old', label: 'as it was before' },
        ],
      },
      { name: 'line', label: 'Line', is: 'number', required: true, attributes: html`min="1"` },
      { ...NOTE, hint: 'Markdown. Nobody else sees a draft until you publish it.' },
    ],
  })
}

/** The visitor's draft notes, and forms that change, publish and delete them. @param texts them as HTML, in the same order */
export function draftList(forms: Forms, drafts: List<Draft>, texts: readonly Html[]): Html | undefined {
  const { items, total = items.length } = drafts
  if (items.length === 0) return undefined
  return html`<section class="box" aria-label="Your draft notes">
    <h2>${total === 1 ? '1 draft note' : `${total} draft notes`}</h2>
    <p>Nobody else sees them.</p>
    ${forms.write({ does: 'publish-drafts', submit: 'Publish all' })}
    ${items.map((draft, index) => draftNote(forms, draft, texts[index]))}
    ${total > items.length && html`<p class="empty">The other ${total - items.length} come after these.</p>`}
  </section>`
}

function draftNote(forms: Forms, draft: Draft, text: Html | undefined): Html {
  const { id, note } = draft
  const about = `the draft note ${placeOf(draft)}`
  return html`<article class="note" id="draft_${id}">
    <p class="quiet">${placeOf(draft)}${draft.resolve_discussion && ', resolves the thread'}</p>
    <div class="text">${text}</div>
    <div class="actions">
      ${forms.write({ does: `publish-draft/${id}`, submit: 'Publish', about, looks: 'secondary' })}
      ${forms.write({
        does: `change-draft/${id}`,
        opens: 'Change',
        submit: 'Save',
        about,
        fields: [{ ...NOTE, value: note }],
        seen: [note],
      })}
      ${forms.write({ does: `delete-draft/${id}`, submit: 'Delete', about, asks: 'It cannot be brought back.' })}
    </div>
  </article>`
}

function placeOf({ discussion_id, position }: Draft): string {
  const { new_path, old_path, new_line, old_line } = position
  const path = new_path ?? old_path
  if (discussion_id !== null) return 'in a thread'
  if (path === null) return 'on the whole'
  const line = new_line ?? old_line
  return line === null ? `on ${path}` : `on line ${line} of ${path}`
}
