import type { Static } from 'typebox'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { suggestionBlocks, withoutSuggestions } from '#code/merge-requests/suggestions/blocks.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Suggestion } from '#planning/noteables/suggesting.ts'
import { invalid } from '#platform/refusals.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Discussions } from '../items/discussions.ts'
import { Rows } from '../repository/diff-rows.ts'

type MergeRequest = Static<typeof MergeRequestSingle>
type Note = Discussions['items'][number]['notes'][number]

interface View {
  readonly request: MergeRequest
  /** Whether the visitor may push to the source branch, as far as the page knows. */
  readonly mayApply: boolean
}

const MESSAGE = {
  name: 'commit_message',
  label: 'Commit message',
  is: 'lines',
  hint: 'Blank for the usual one.',
} as const

/** The text of a note as it is shown: what it suggests stands below it, with what it would replace. */
export const textOf = ({ body, suggestions = [] }: Note): string =>
  suggestions.length > 0 && suggestions.length === suggestionBlocks(body).length
    ? withoutSuggestions(body)
    : body

/** What a note suggests: the lines before and after, and a form that applies it, or why it cannot be applied. */
export function suggestionsOf(forms: Forms, note: Note, view: View): readonly Html[] {
  const rows = new Rows()
  return (note.suggestions ?? []).map((one) => {
    const place = placeOf(note, one)
    return html`<div class="suggestion" id="suggestion_${one.id}">
      <p class="quiet">
        ${one.applied ? 'Suggested' : 'Suggests'} for ${place}
        ${one.applied && html`<span class="badge">applied</span>`}
      </p>
      <div class="sideways" tabindex="0">
        <table class="diff inline">
          <tbody>
            ${linesOf(one.from_content).map((text, index) =>
              rows.line({ kind: 'removed', before: one.from_line + index, after: undefined, text }),
            )}
            ${linesOf(one.to_content).map((text, index) =>
              rows.line({ kind: 'added', before: undefined, after: one.from_line + index, text }),
            )}
          </tbody>
        </table>
      </div>
      ${toApply(forms, note, one, view)}
    </div>`
  })
}

function toApply(forms: Forms, note: Note, one: Suggestion, { request, mayApply }: View): Html | undefined {
  if (one.applied) return undefined
  if (!one.appliable) return html`<p class="quiet">${whyNot(one, request)}</p>`
  if (!mayApply) return undefined
  return forms.write({
    does: `apply-suggestion/${one.id}`,
    opens: 'Apply',
    submit: 'Apply suggestion',
    about: `the suggestion of ${note.author.name} for ${placeOf(note, one)}`,
    fields: [MESSAGE],
  })
}

function whyNot({ from_content, to_content }: Suggestion, { state }: MergeRequest): string {
  if (state !== 'opened') return 'It cannot be applied: the merge request is not open.'
  if (from_content === to_content) return 'It cannot be applied: it changes nothing.'
  return 'It cannot be applied: the lines have changed since it was made, or the source branch is gone.'
}

/** A form that applies several suggestions of the page as one commit; undefined where there are not that many. */
export function applySeveral(
  forms: Forms,
  discussions: Discussions | undefined,
  { mayApply }: View,
): Html | undefined {
  const notes = (discussions?.items ?? []).flatMap((one) => one.notes)
  const options = notes.flatMap((note) =>
    (note.suggestions ?? [])
      .filter(({ appliable }) => appliable)
      .map((one) => ({ value: String(one.id), label: `${placeOf(note, one)}, by ${note.author.name}` })),
  )
  if (!mayApply || options.length < 2) return undefined
  return forms.write({
    does: 'apply-suggestions',
    opens: 'Apply several suggestions',
    submit: 'Apply them as one commit',
    fields: [{ name: 'ids', label: 'Suggestions', is: 'choices', options }, MESSAGE],
  })
}

/** The line on which a note stands, for a page that shows no lines; a note that suggests says that itself. */
export function lineOf({ position, suggestions = [] }: Note): string | undefined {
  if (!position || suggestions.length > 0) return undefined
  const line = position.new_line ?? position.old_line
  const file = position.new_path ?? position.old_path ?? 'a file'
  return line === null ? `on ${file}` : `on line ${line} of ${file}`
}

function placeOf({ position }: Note, { from_line, to_line }: Suggestion): string {
  const lines = from_line === to_line ? `line ${from_line}` : `lines ${from_line} to ${to_line}`
  return `${lines} of ${position?.new_path ?? 'the file'}`
}

const linesOf = (content: string): readonly string[] =>
  content === '' ? [] : content.replace(/\r?\n$/, '').split(/\r?\n/)

/** What these forms do. */
export const suggestionActions: Actions = {
  'apply-suggestion': (id) =>
    asks({ method: 'PUT', path: path`/suggestions/${id}/apply`, says: 'The suggestion is applied.' }),
  'apply-suggestions':
    () =>
    async (api, { ids, ...more }) => {
      const chosen = Array.isArray(ids) ? ids.filter((id) => id !== '') : []
      if (chosen.length === 0) throw invalid({ ids: ['are not chosen'] })
      await api.send('PUT', '/suggestions/batch_apply', { ...more, ids: chosen })
      const says =
        chosen.length === 1 ? 'The suggestion is applied.' : `${chosen.length} suggestions are applied.`
      return { says, to: undefined }
    },
}
