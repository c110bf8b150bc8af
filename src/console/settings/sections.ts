import type { Static, TSchema } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { secretShownOnce } from '#platform/pages/secret.ts'
import type { Action } from '../frame/action.ts'
import type { Writing } from '../frame/api.ts'
import { emptyList } from '../frame/lists.ts'

/** One of several lists of a page, with the form that adds to it. */
export interface Section {
  readonly title: string
  /** What it is for, in a sentence. */
  readonly about: string
  readonly rows: readonly Html[]
  /** What it says while nothing is in it. */
  readonly none: string
  readonly add?: Html | false | undefined
  /** Whether there are more than are shown. */
  readonly isCut?: boolean
}

export const section = ({ title, about, rows, none, add, isCut }: Section): Html =>
  html`<h2>${title}</h2>
    <p class="quiet">${about}</p>
    ${
      rows.length === 0
        ? emptyList(none)
        : html`<ul class="rows">
            ${rows.map((row) => html`<li>${row}</li>`)}
          </ul>`
    }
    ${isCut === true && html`<p class="quiet">There are more; the API lists them all.</p>`}
    ${add !== undefined && add !== false && html`<div class="actions">${add}</div>`}`

/** Asks the API to make something with a secret, which the next page shows this once. */
export const makesSecret =
  <S extends TSchema>(
    schema: S,
    method: Writing,
    address: string,
    secretOf: (made: Static<S>) => Parameters<typeof secretShownOnce>[0],
    also: Readonly<Record<string, unknown>> = {},
  ): Action =>
  async (api, parameters) => {
    const made = await api.sendFor(schema, method, address, { ...parameters, ...also })
    return { says: '', to: undefined, shows: secretShownOnce(secretOf(made)) }
  }
