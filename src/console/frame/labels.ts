import { type Html, html } from '#platform/http/html.ts'
import { addressOf } from './lists.ts'

/** A label, of which a list knows the name alone, or its color as well. */
export type ShownLabel = string | { readonly name: string; readonly color: string }

/** Labels in their colors. Attributes of SVG may have a color where styles of their own are not allowed. */
export const labelList = (labels: readonly ShownLabel[]): readonly Html[] =>
  labels.map((label) =>
    typeof label === 'string'
      ? html`<span class="badge">${label}</span> `
      : html`<span class="badge"
          ><svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
            <circle cx="5" cy="5" r="5" fill="${label.color}" /></svg
          >${label.name}</span
        > `,
  )

/** Labels, each of which leads to what else has it. @param list the address of a list that can be filtered by them */
export const labelLinks = (labels: readonly ShownLabel[], list: string): readonly Html[] =>
  labels.map(
    (label) =>
      html`<a href="${addressOf(list, { labels: typeof label === 'string' ? label : label.name })}"
        >${labelList([label])}</a
      > `,
  )
