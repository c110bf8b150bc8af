import type { Static, TSchema } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { secretShownOnce } from '#platform/pages/secret.ts'
import type { Action } from '../frame/action.ts'
import type { Writing } from '../frame/api.ts'
import { emptyList, NO_MORE } from '../frame/lists.ts'

/** One of several lists of a page, with the form that adds to it. */
export interface Section {
  readonly title: string
  /** What it is for, in a sentence. */
  readonly about: string
  readonly rows: readonly Html[]
  /** What it says while nothing is in it. */
  readonly none: string
  readonly add?: Html | false | undefined
  /** Links to the other pages of the list. */
  readonly others?: Html | undefined
}

export const section = ({ title, about, rows, none, add, others }: Section): Html =>
  html`<h2>${title}</h2>
    <p class="quiet">${about}</p>
    ${
      rows.length === 0
        ? emptyList(others === undefined ? none : NO_MORE)
        : html`<ul class="rows">
            ${rows.map((row) => html`<li>${row}</li>`)}
          </ul>`
    }
    ${others} ${add !== undefined && add !== false && html`<div class="actions">${add}</div>`}`

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
