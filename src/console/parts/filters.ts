import { type Html, html } from '#platform/http/html.ts'
import { titled } from './words.ts'

interface Choice {
  readonly name: string
  readonly label: string
  readonly value: string | undefined
  /** What can be chosen; undefined for words that people type. */
  readonly options?: readonly string[]
  /** What they are called, where their names do not say it. */
  readonly titles?: Readonly<Record<string, string>>
}

/** A form that narrows a list by words of the API. It works without a script. */
export const filterForm = (address: string, fields: readonly Choice[]): Html =>
  html`<form class="filters" method="get" action="${address}" role="search">
    ${fields.map(
      (field) =>
        html`<div>
          <label for="filter-${field.name}">${field.label}</label>
          ${field.options === undefined ? typed(field) : chosen(field, field.options)}
        </div>`,
    )}
    <button type="submit" class="secondary">Show</button>
  </form>`

const typed = ({ name, value }: Choice): Html =>
  html`<input type="search" id="filter-${name}" name="${name}" value="${value}" maxlength="255" />`

const chosen = ({ name, value, titles = {} }: Choice, options: readonly string[]): Html =>
  html`<select id="filter-${name}" name="${name}">
    <option value="">Any</option>
    ${options.map(
      (option) =>
        html`<option value="${option}" ${option === value && html`selected`}>
          ${titles[option] ?? titled(option)}
        </option>`,
    )}
  </select>`

/** What a form sends for a choice that was not made counts as none. */
export const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)
