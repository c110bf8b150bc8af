import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Html, html } from '#platform/http/html.ts'
import { Invalid } from '#platform/refusals.ts'
import { sendRefusal } from './page.ts'

/** What is wrong with a form: the name of a field → sentences without their subject. */
export type Problems = Readonly<Record<string, readonly string[]>>

export interface Field {
  /** The name of the parameter, and its id in the page. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  /** Further attributes of the input: `type="password" required`. */
  readonly attributes?: Html
  /** The content of a field of several lines. */
  readonly lines?: string
}

/**
 * Writes the fields of a form, each linked to its label, hint and problems. The first field with problems gets the
 * focus, so that screen readers announce them and people can fix them at once.
 */
export function fieldWriterFor(problems: Problems): (field: Field) => Html {
  let focused = false
  return ({ name, label, hint, attributes, lines }) => {
    const wrong = problems[name] ?? []
    const focus = wrong.length > 0 && !focused
    focused ||= focus
    const all = html`id="${name}" name="${name}" ${attributes} ${describedBy(name, hint, wrong)}
    ${focus && html`autofocus`}`
    return html`<div class="field">
      <label for="${name}">${label}</label>
      ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
      ${lines === undefined ? html`<input ${all} />` : html`<textarea ${all}>${lines}</textarea>`}
      ${problemsOf(name, label, wrong)}
    </div>`
  }
}

/** The attributes that link hint and problems to their field. */
export function describedBy(name: string, hint: unknown, wrong: readonly string[]): Html {
  const ids = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(wrong.length === 0 ? [] : [`${name}-problem`]),
  ]
  return html`${ids.length > 0 && html`aria-describedby="${ids.join(' ')}"`}
  ${wrong.length > 0 && html`aria-invalid="true"`}`
}

/** `Name is empty.` below a field. */
export function problemsOf(name: string, label: string, wrong: readonly string[]): Html {
  if (wrong.length === 0) return html``
  return html`<p class="problem" id="${name}-problem">
    ${wrong.map((text) => `${label} ${text}.`).join(' ')}
  </p>`
}

type Show = (
  request: FastifyRequest,
  reply: FastifyReply,
  problems: Problems,
) => FastifyReply | Promise<FastifyReply>

/**
 * The error handler of a route that a form submits to. A refusal that names fields shows the form again, as `show`
 * writes it, with the problems beside the fields. Every other error is a page of its own.
 */
export function askAgain(show: Show) {
  return function errorHandler(
    this: FastifyInstance,
    thrown: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    void answer(thrown, request, reply, show)
  }
}

async function answer(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  show: Show,
): Promise<void> {
  const problems = problemsIn(thrown)
  try {
    if (problems === undefined) await sendRefusal(thrown, request, reply)
    else await show(request, reply.code(422), problems)
  } catch (failure) {
    await sendRefusal(failure, request, reply)
  }
}

function problemsIn(error: unknown): Problems | undefined {
  return error instanceof Invalid ? error.attributes : undefined
}

/** What was typed into a field, to show it again; blank when nothing was. */
export function typed(request: FastifyRequest, name: string): string {
  const [first = ''] = typedList(request, name)
  return first
}

/** The same for a field that may occur several times. */
export function typedList({ body }: FastifyRequest, name: string): string[] {
  const values: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  return [values[name]].flat().flatMap((value) => {
    // The parameter reader may have turned text into another type.
    return typeof value === 'string' || typeof value === 'boolean' ? [String(value)] : []
  })
}
