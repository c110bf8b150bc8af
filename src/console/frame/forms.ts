import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Html, html } from '#platform/http/html.ts'
import { csrfField } from '#platform/pages/page.ts'
import { type Field, type Typed, writeField } from './fields.ts'
import { type Problems, NO_PROBLEMS } from './problems.ts'

/** The field of each form that says what it does. */
export const DOES = 'do'

/** The field that says which texts somebody saw who changes them. */
export const SEEN = 'seen_texts'

/** What stands for texts that somebody saw. */
export const seenOf = (texts: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(texts), 'base64url')

/** A form of a page. It is sent to the address of the page. */
export interface Form {
  /** The name of the action, and what it is about where there are several: `comment`, `delete-note/12`. */
  readonly does: string
  /** What its button says. */
  readonly submit: string
  /** What the button acts on, for people who cannot see where it is. */
  readonly about?: string | undefined
  readonly fields?: readonly Field[] | undefined
  /** Further buttons, which do something else with the same fields. */
  readonly others?: readonly { readonly does: string; readonly submit: string }[] | undefined
  /** What cannot be undone: it is asked before. */
  readonly asks?: string | undefined
  /** It is shown when somebody wants it: what they press then. */
  readonly opens?: string | undefined
  /** The texts that it changes, as they are: whoever changed one meanwhile is not overwritten (`seen` of the action). */
  readonly seen?: readonly unknown[] | undefined
  /** How much the button stands out. */
  readonly looks?: 'secondary' | 'danger' | undefined
}

/** A form that the API refused, as it was sent. */
export interface Refused {
  readonly does: string
  readonly typed: ReadonlyMap<string, Typed>
  readonly problems: Problems
}

/** Writes the forms of a page: empty, or, the one that was refused, with what was typed and what is wrong with it. */
export class Forms {
  readonly #request: FastifyRequest
  readonly #refused: Refused | undefined
  #isRefusalShown = false

  constructor(request: FastifyRequest, refused?: Refused) {
    this.#request = request
    this.#refused = refused
  }

  /** Whether the form is shown again because it was refused. */
  isRefused(does: string): boolean {
    return this.#refused?.does === does
  }

  write(form: Form): Html {
    const { does, submit, about, fields = [], others = [], asks, opens, looks, seen } = form
    const refused = [does, ...others.map((other) => other.does)].includes(this.#refused?.does ?? '')
      ? this.#refused
      : undefined
    if (refused !== undefined) this.#isRefusalShown = true
    const { problems } = refused ?? { problems: NO_PROBLEMS }
    const hasFiles = fields.some(({ is }) => is === 'file')
    const named = about !== undefined && html`<span class="unseen">${about}</span>`
    const written = html`<form method="post" ${hasFiles && html`enctype="multipart/form-data"`}>
      ${csrfField(this.#request)} ${problems.ofAll(fields.map(({ name }) => name)).map(alert)}
      ${asks !== undefined && html`<p>${asks}</p>`}
      ${seen !== undefined && html`<input type="hidden" name="${SEEN}" value="${seenOf(seen)}" />`}
      ${this.#fields(does, fields, refused)}
      <p class="actions">
        <button type="submit" name="${DOES}" value="${does}" class="${asks === undefined ? looks : 'danger'}">
          ${submit} ${named}
        </button>
        ${others.map(
          (other) =>
            html`<button type="submit" name="${DOES}" value="${other.does}" class="secondary">
              ${other.submit}
            </button>`,
        )}
      </p>
    </form>`
    const opener = opens ?? (asks === undefined ? undefined : `${submit}…`)
    if (opener === undefined) return written
    return html`<details class="question" ${refused !== undefined && html`open`}>
      <summary class="button secondary">${opener} ${named}</summary>
      ${written}
    </details>`
  }

  /** A form of several buttons without fields. Each names what it does. */
  buttons(all: Html): Html {
    return html`<form method="post" class="buttons">${csrfField(this.#request)} ${all}</form>`
  }

  #fields(does: string, fields: readonly Field[], refused: Refused | undefined): readonly Html[] {
    const first = fields.find(({ name }) => (refused?.problems.of(name) ?? []).length > 0)
    return fields.map((field) =>
      writeField(field, {
        id: `${does.replaceAll(/[^\w-]/g, '-')}-${field.name}`,
        typed: refused?.typed.get(field.name),
        wrong: refused?.problems.of(field.name) ?? [],
        focus: field === first,
      }),
    )
  }

  /** Why a form was refused that the page has no longer, and what was typed into it. */
  get unshown(): Html | undefined {
    const refused = this.#refused
    if (refused === undefined || this.#isRefusalShown) return undefined
    const texts = [...refused.typed.values()].flat().filter((text) => text.length > 1)
    return html`<section class="notice">
      ${refused.problems.ofAll([]).map(alert)}
      ${
        texts.length > 0 &&
        html`<details>
          <summary>What you typed</summary>
          ${texts.map((text) => html`<pre>${text}</pre>`)}
        </details>`
      }
    </section>`
  }
}

const alert = (sentence: string): Html => html`<p class="problem" role="alert">${sentence}</p>`
