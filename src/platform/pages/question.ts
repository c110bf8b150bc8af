import type { FastifyRequest } from 'fastify'
import { html, type Html } from '#platform/http/html.ts'
import { csrfField } from './page.ts'

export interface Question {
  /** The action in one word: `Revoke`. */
  readonly verb: string
  /** What it acts on, for people who cannot see where the button is. */
  readonly name: string
  /** What cannot be undone. */
  readonly warning: string
  /** The URL that the answer is sent to. */
  readonly action: string
}

/** A button that asks for confirmation before it does what cannot be undone. */
export function question(request: FastifyRequest, { verb, name, warning, action }: Question): Html {
  const which = html`<span class="unseen">${name}</span>`
  return html`<details class="question">
    <summary class="button">${verb}… ${which}</summary>
    <form method="post" action="${action}">
      ${csrfField(request)}
      <p>${warning}</p>
      <button type="submit" class="danger">${verb} ${which}</button>
    </form>
  </details>`
}
