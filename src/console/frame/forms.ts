import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Html, html } from '#platform/http/html.ts'
import { csrfField } from '#platform/pages/page.ts'
import { parameterOf, shownIn, shownText, type ShownFields } from './changed-fields.ts'
import { type Field, type Typed, writeField } from './fields.ts'
import { type Problems, NO_PROBLEMS } from './problems.ts'

/** The field of each form that says what it does. */
export const DOES = 'do'

/** The field that says which texts somebody saw who changes them. */
export const SEEN = 'seen_texts'

/** The field that says what a form showed in its fields. */
export const SHOWN = 'shown_values'

/** What stands for texts that somebody saw. */
export const seenOf = (texts: readonly unknown[]): string =>
  hash('sha256', JSON.stringify(texts), 'base64url')

/** The id of a field on its page. */
export const fieldId = (does: string, name: string): string => `${does.replaceAll(/[^\w-]/g, '-')}-${name}`

/** A form of a page. It is sent to the address of the page, without the place in it: what was done is said at its top. */
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
  /**
   * It changes what is there: only the fields that somebody touches are sent on. Two people who change different ones both keep
   * theirs; who changes one that somebody else has changed meanwhile is told.
   */
  readonly changes?: boolean | undefined
  /** When what it changes was changed last, where its route takes `If-Unmodified-Since`: also who saves at the same moment is told. */
  readonly updatedAt?: string | undefined
  /** How much the button stands out. */
  readonly looks?: 'secondary' | 'danger' | undefined
}

/** A form that the API refused, as it was sent. */
export interface Refused {
  readonly does: string
  /** The parameters that were changed, where the form says so. */
  readonly changed?: ReadonlySet<string> | undefined
  readonly typed: ReadonlyMap<string, Typed>
  readonly problems: Problems
}

/** What a form that changes something shows. */
export interface Showing {
  readonly fields: ShownFields
  readonly updatedAt: string | undefined
}

/** Writes the forms of a page: empty, or, the one that was refused, with what was typed and what is wrong with it. */
export class Forms {
  readonly #request: FastifyRequest
  readonly #refused: Refused | undefined
  #isRefusalShown = false
  readonly #shown = new Map<string, Showing>()

  constructor(request: FastifyRequest, refused?: Refused) {
    this.#request = request
    this.#refused = refused
  }

  /** The address of the page, without the place in it. Two slashes would name another host. */
  get #here(): string {
    return this.#request.originalUrl.replace(/^\/+/, '/')
  }

  /** Whether the form is shown again because it was refused. */
  isRefused(does: string): boolean {
    return this.#refused?.does === does
  }

  /** What a form showed that was written. */
  shownBy(does: string): Showing | undefined {
    return this.#shown.get(does)
  }

  write(form: Form): Html {
    const { does, submit, about, fields = [], others = [], asks, opens, looks, seen } = form
    const shown = form.changes === true ? shownIn(fields) : undefined
    if (shown !== undefined) this.#shown.set(does, { fields: shown, updatedAt: form.updatedAt })
    const refused = [does, ...others.map((other) => other.does)].includes(this.#refused?.does ?? '')
      ? this.#refused
      : undefined
    if (refused !== undefined) this.#isRefusalShown = true
    const { problems } = refused ?? { problems: NO_PROBLEMS }
    const encoding = fields.some(({ is }) => is === 'file') && html`enctype="multipart/form-data"`
    const visible = fields.filter(({ is }) => is !== 'hidden')
    const wrong = visible.find(({ name }) => problems.of(name).length > 0)
    const named = about !== undefined && html`<span class="unseen">${about}</span>`
    const written = html`<form method="post" action="${this.#here}" ${encoding}>
      ${csrfField(this.#request)}
      ${alerts(problems.ofAll(visible.map(({ name }) => name)), wrong === undefined)}
      ${asks !== undefined && html`<p>${asks}</p>`}
      ${seen !== undefined && html`<input type="hidden" name="${SEEN}" value="${seenOf(seen)}" />`}
      ${shown !== undefined && html`<input type="hidden" name="${SHOWN}" value="${shownText(shown)}" />`}
      ${this.#fields(does, fields, { refused, focus: wrong })}
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
    return html`<form method="post" action="${this.#here}" class="buttons">
      ${csrfField(this.#request)} ${all}
    </form>`
  }

  #fields(
    does: string,
    fields: readonly Field[],
    { refused, focus }: { readonly refused: Refused | undefined; readonly focus: Field | undefined },
  ): readonly Html[] {
    return fields.map((field) =>
      writeField(field, {
        id: fieldId(does, field.name),
        // Of what they left alone, they see what it is now.
        typed: isTouched(field, refused) ? refused?.typed.get(field.name) : undefined,
        wrong: refused?.problems.of(field.name) ?? [],
        focus: field === focus,
      }),
    )
  }

  /** Why a form was refused that the page has no longer, and what was typed into it. */
  get unshown(): Html | undefined {
    const refused = this.#refused
    if (refused === undefined || this.#isRefusalShown) return undefined
    const texts = [...refused.typed.values()].flat().filter((text) => text.length > 1)
    return html`<section class="notice">
      ${alerts(refused.problems.ofAll([]), true)}
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

const isTouched = ({ name }: Field, refused: Refused | undefined): boolean =>
  refused?.changed?.has(parameterOf(name)) ?? true

/** Why a form was refused as a whole. Where no field has the focus, the first reason gets it: the form may be far down the page. */
const alerts = (sentences: readonly string[], focus: boolean): readonly Html[] =>
  sentences.map(
    (sentence, index) =>
      html`<p class="problem" role="alert" ${focus && index === 0 && html`tabindex="-1" autofocus`}>
        ${sentence}
      </p>`,
  )
