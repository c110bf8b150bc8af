import { type Html, html } from '#platform/http/html.ts'
import { describedBy, problemsOf } from '#platform/pages/forms.ts'

/** What may be chosen: what the API is told, and what people read. */
export interface Option {
  readonly value: string
  readonly label: string
}

/** A field of a form. Its name is that of a parameter of the API. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  /** One line of text if it is missing. `markup` is a text of several lines that is rendered, `choices` is a list. */
  readonly is?:
    | 'lines'
    | 'markup'
    | 'choice'
    | 'choices'
    | 'check'
    | 'hidden'
    | 'date'
    | 'datetime-local'
    | 'number'
    | 'password'
    | 'email'
    | 'url'
    | 'file'
    | undefined
  readonly value?: string | number | boolean | readonly string[] | null | undefined
  /** Of a `choice` or of `choices`. */
  readonly options?: readonly Option[] | undefined
  readonly required?: boolean | undefined
  /** Further attributes of the input: `min="1"`. */
  readonly attributes?: Html | undefined
}

/** What somebody typed into a field, in the order of a list. */
export type Typed = readonly string[]

interface Written {
  /** Unique in the page. */
  readonly id: string
  /** What was typed; undefined while the form is shown first. */
  readonly typed: Typed | undefined
  readonly wrong: readonly string[]
  readonly focus: boolean
}

/** A field with its label, its hint, and what is wrong with what was typed. */
export function writeField(field: Field, written: Written): Html {
  const { is, name, label, hint } = field
  const { id, wrong } = written
  if (is === 'hidden')
    return html`<input type="hidden" name="${name}" value="${shownValue(field, undefined)}" />`
  if (is === 'check') return check(field, written)
  if (is === 'choices') return choices(field, written)
  return html`<div class="field">
    <label for="${id}">${label}</label>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${input(field, written)}
    ${problemsOf(id, label, wrong)}
  </div>`
}

function input(field: Field, { id, typed, wrong, focus }: Written): Html {
  const { is = 'text', name, hint, required, attributes, options = [] } = field
  const all = html`id="${id}" name="${name}" ${attributes} ${required === true && html`required`}
  ${describedBy(id, hint, wrong)} ${focus && html`autofocus`}`
  const value = shownValue(field, typed)
  if (is === 'choice')
    return html`<select ${all}>
      ${withValue(options, value).map(
        (one) =>
          html`<option value="${one.value}" ${one.value === value && html`selected`}>${one.label}</option>`,
      )}
    </select>`
  if (is === 'lines' || is === 'markup') {
    // A browser drops the first line break after the tag.
    const whole = /^[\r\n]/.test(value) ? `\n${value}` : value
    return html`<textarea ${all} ${is === 'markup' && html`data-markup`}>${whole}</textarea>`
  }
  const kept = is === 'password' || is === 'file' ? undefined : value
  return html`<input type="${is}" ${kept !== undefined && html`value="${kept}"`} ${all} />`
}

/** What is set already is offered, too: a form that is sent as it stands changes nothing. */
const withValue = (options: readonly Option[], value: string): readonly Option[] =>
  value === '' || options.some((one) => one.value === value) ? options : [{ value, label: value }, ...options]

/** The API is told `false`, too: of two values with one name, the last counts. */
function check(field: Field, { id, typed, wrong, focus }: Written): Html {
  const { name, label, hint, value } = field
  const isSet = typed === undefined ? value === true : typed.at(-1) === 'true'
  return html`<div class="field check">
    <input type="hidden" name="${name}" value="false" />
    <div class="choice">
      <input
        type="checkbox"
        id="${id}"
        name="${name}"
        value="true"
        ${isSet && html`checked`}
        ${describedBy(id, hint, wrong)}
        ${focus && html`autofocus`}
      />
      <div>
        <label for="${id}">${label}</label>
        ${hint !== undefined && html`<small id="${id}-hint">${hint}</small>`}
      </div>
    </div>
    ${problemsOf(id, label, wrong)}
  </div>`
}

function choices(field: Field, { id, typed, wrong, focus }: Written): Html {
  const { name, label, hint, value, options = [] } = field
  const chosen = typed ?? (Array.isArray(value) ? value : [])
  return html`<fieldset ${describedBy(id, hint, wrong)}>
    <legend>${label}</legend>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`} ${problemsOf(id, label, wrong)}
    <input type="hidden" name="${name}[]" value="" />
    <div class="choices">
      ${options.map(
        (one, index) =>
          html`<div class="choice">
            <input
              type="checkbox"
              id="${id}-${index}"
              name="${name}[]"
              value="${one.value}"
              ${chosen.includes(one.value) && html`checked`}
              ${focus && index === 0 && html`autofocus`}
            />
            <label for="${id}-${index}">${one.label}</label>
          </div>`,
      )}
    </div>
  </fieldset>`
}

/** What a field shows. @param typed what was typed into it */
export function shownValue({ value }: Field, typed: Typed | undefined): string {
  if (typed !== undefined) return typed.at(-1) ?? ''
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value)
}
