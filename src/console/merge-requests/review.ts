import type { Static } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import { DraftNote } from '#code/merge-requests/draft-notes/entity.ts'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Api, List } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { fieldId, type Forms } from '../frame/forms.ts'
import { addressOf } from '../frame/lists.ts'
import type { ChosenLine } from './chosen-lines.ts'

type Draft = Static<typeof DraftNote>
type Diff = Static<typeof DiffEntity>
type MergeRequest = Pick<Static<typeof MergeRequestSingle>, 'diff_refs'>

/** Draft notes on one page. Those after them show as soon as these are published. */
const MOST = 20

const HINT = 'Markdown. Nobody else sees a draft until you publish it.'
const OF_SUGGESTION = 'Change the lines in the block. What you write outside of it is a comment.'

const NOTE = { name: 'note', label: 'Comment', is: 'markup', required: true } as const

const LINE_FORM = {
  does: 'draft-line',
  submit: 'Keep as a draft',
  others: [{ does: 'comment-line', submit: 'Comment now' }],
} as const

/**
 * The visitor's draft notes on a merge request; undefined for strangers.
 * @param address its path in the API
 * @param most how many of them are needed
 */
export const draftsOn = async (api: Api, address: string, most = MOST): Promise<List<Draft> | undefined> =>
  api.isForSomebody ? api.findList(DraftNote, `${address}/draft_notes`, { per_page: most }) : undefined

/** Reminds the visitor of draft notes where these are not shown: whoever forgets them thinks to have said what nobody reads. */
export const draftsWait = ({ items, total = items.length }: List<Draft>, changes: string): Html | undefined =>
  total > 0
    ? html`<section class="box" aria-label="Your draft notes">
        <p>
          ${total === 1 ? 'You have 1 draft note' : `You have ${total} draft notes`} that nobody else sees.
          <a href="${changes}">Publish or change ${total === 1 ? 'it' : 'them'}</a>
        </p>
      </section>`
    : undefined

/** Buttons that keep a reply as a draft. */
export const draftReplies = (
  thread: string,
  { resolvable, resolved }: { readonly resolvable: boolean; readonly resolved?: boolean | undefined },
) => [
  { does: `draft-reply/${thread}`, submit: 'Keep as a draft' },
  ...(resolvable && resolved !== true
    ? [{ does: `draft-resolve/${thread}`, submit: 'Keep as a draft that resolves the thread' }]
    : []),
]

/** Forms that start a thread on a line of one of these files that one names, or on a whole file: now, or as a draft. */
export function lineForms(
  forms: Forms,
  { diff_refs }: MergeRequest,
  diffs: readonly Diff[],
): Html | undefined {
  const files = diffs.filter(({ diff }) => diff !== '')
  if (files.length === 0) return undefined
  const file: Field = {
    name: 'file',
    label: 'File',
    is: 'choice',
    options: files.map(({ new_path }) => ({ value: new_path, label: new_path })),
  }
  return html`<div class="actions">
      ${forms.write({
        ...LINE_FORM,
        opens: 'Comment on a line',
        fields: [
          { name: 'head_sha', label: '', is: 'hidden', value: diff_refs.head_sha },
          file,
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
          {
            name: 'line',
            label: 'Line',
            is: 'number',
            hint: 'Blank for the whole file.',
            attributes: html`min="1"`,
          },
          { ...NOTE, hint: HINT },
        ],
      })}
      ${forms.write({
        does: 'choose-lines',
        opens: 'Suggest a change',
        submit: 'Show the lines',
        fields: [
          file,
          { name: 'from', label: 'First line', is: 'number', required: true, attributes: html`min="1"` },
          {
            name: 'to',
            label: 'Last line',
            is: 'number',
            hint: 'As they are numbered afterwards. Blank for one line.',
            attributes: html`min="1"`,
          },
        ],
      })}
    </div>
    <p class="quiet">The number of a line leads to a form for a comment on it.</p>`
}

/** What the address of the form at a line ends with: browsers go to the text then. */
export const TO_TEXT = `#${fieldId(LINE_FORM.does, NOTE.name)}`

/**
 * The form that starts a thread on the line that the visitor chose, to stand below it.
 * @param here the address of the page without a chosen line
 */
export function formAtLine(
  forms: Forms,
  { diff_refs }: MergeRequest,
  { file, line: { before, after }, suggestion }: ChosenLine,
  here: string,
): Html {
  const [side, line] = after === undefined ? (['old', before] as const) : (['new', after] as const)
  const which = after === undefined ? `the former line ${before}` : `line ${after}`
  const title =
    suggestion === undefined
      ? `On ${which} of ${file}`
      : `Suggest a change of ${suggestion.from === after ? which : `lines ${suggestion.from} to ${after}`} of ${file}`
  const hidden = { head_sha: diff_refs.head_sha, file, side, line }
  return html`<section aria-label="${title}" id="suggest">
    <h3>${title}</h3>
    ${forms.write({
      ...LINE_FORM,
      fields: [
        ...Object.entries(hidden).map(([name, value]) => ({ name, value, label: '', is: 'hidden' as const })),
        {
          ...NOTE,
          value: suggestion?.note,
          hint: suggestion === undefined ? HINT : `${HINT} ${OF_SUGGESTION}`,
        },
      ],
    })}
    <p>
      ${
        suggestion === undefined &&
        after !== undefined &&
        html`<a href="${addressOf(here, { suggest: file, from: after, to: after })}${TO_TEXT}"
            >Suggest a change of the line</a
          >
          · `
      }
      <a href="${here}">Close</a>
    </p>
  </section>`
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
        changes: true,
      })}
      ${forms.write({ does: `delete-draft/${id}`, submit: 'Delete', about, asks: 'It cannot be brought back.' })}
    </div>
  </article>`
}

/** A draft note, to stand below its line. Its forms are in the list. */
export const draftAtLine = ({ id }: Draft, text: Html | undefined): Html =>
  html`<article class="note">
    <p class="quiet">
      <span class="badge">draft</span> <a href="#draft_${id}">Change, publish or delete it</a>
    </p>
    <div class="text">${text}</div>
  </article>`

function placeOf({ discussion_id, position }: Draft): string {
  const { new_path, old_path, new_line, old_line } = position
  const path = new_path ?? old_path
  if (discussion_id !== null) return 'in a thread'
  if (path === null) return 'on the whole'
  const line = new_line ?? old_line
  return line === null ? `on ${path}` : `on line ${line} of ${path}`
}
