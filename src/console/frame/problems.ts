import type { FastifyRequest } from 'fastify'
import { type ErrorBody, HttpError, meaningOf } from '#platform/http/errors.ts'
import { knownTexts } from '#platform/known-texts.ts'

/** Where the API says what is wrong with a record as a whole. */
const WHOLE = 'base'

/** What is wrong with what a form sent, as the API says it. */
export class Problems {
  readonly #fields: ReadonlyMap<string, readonly string[]>
  readonly #sentences: readonly string[]

  /** @param fields the names of parameters → what is wrong with each, without its subject */
  constructor(fields: ReadonlyMap<string, readonly string[]>, sentences: readonly string[]) {
    this.#fields = fields
    this.#sentences = sentences
  }

  of(field: string): readonly string[] {
    return this.#fields.get(field) ?? []
  }

  /** What belongs to none of these fields, as sentences. */
  ofAll(fields: readonly string[]): readonly string[] {
    const others = [...this.#fields].filter(([name]) => !fields.includes(name))
    return [
      ...this.#sentences,
      ...others.flatMap(([name, texts]) =>
        texts.map((text) => sentence(name === WHOLE ? text : `${name.replaceAll('_', ' ')} ${text}`)),
      ),
    ]
  }
}

export const NO_PROBLEMS = new Problems(new Map(), [])

/** `weight does not have a valid value`, as the API says it of parameters. */
const OF_PARAMETER = /^([a-z_]+)(?:\[[^\]]*\])* ((?:is|does|has|must|should|can|are) .*)$/s

/** `Username has already been taken`, as the API says it of accounts. */
const OF_UNIQUE = new RegExp(`^([A-Z][a-z ]{0,40}) (${knownTexts.taken})$`)

/** Why a form was refused; undefined for troubles of the server and its limits, which are pages of their own. */
export function refusalOf(
  reason: unknown,
  request: FastifyRequest,
): { readonly status: number; readonly problems: Problems } | undefined {
  const known = meaningOf(reason, request)
  if (known === undefined || known.status < 400 || known.status >= 500 || known.status === 429)
    return undefined
  return { status: known.status, problems: problemsIn(known.body) }
}

/** Why the API refused something, in sentences; undefined for troubles of the server and its limits. */
export const explain = (reason: unknown): string | undefined =>
  reason instanceof HttpError && reason.status < 500 && reason.status !== 429
    ? problemsIn(reason.body).ofAll([]).join(' ')
    : undefined

/** Reads a refusal of the API. */
function problemsIn(body: ErrorBody | string): Problems {
  if (typeof body === 'string') return new Problems(new Map(), [sentence(body)])
  const { message, error } = body
  if (typeof message === 'object' && !Array.isArray(message))
    return new Problems(new Map(attributesOf(message)), [])
  const said = Array.isArray(message) ? message.map(String) : [message ?? error ?? '']
  const fields = new Map<string, readonly string[]>()
  if (error === undefined || message !== undefined) {
    const taken = said.length === 1 ? OF_UNIQUE.exec(said[0] ?? '') : null
    if (taken === null) return new Problems(fields, said.map(reason))
    const [, name = '', text = ''] = taken
    return new Problems(fields.set(name.toLowerCase().replaceAll(' ', '_'), [text]), [])
  }
  const sentences: string[] = []
  for (const part of error.split(', ')) {
    const [, name, text] = OF_PARAMETER.exec(part) ?? []
    if (name === undefined || text === undefined) sentences.push(sentence(part))
    else fields.set(name, [...(fields.get(name) ?? []), text])
  }
  return new Problems(fields, sentences)
}

const attributesOf = (message: object): (readonly [string, readonly string[]])[] =>
  Object.entries(message).map(([name, texts]) => [name, [texts].flat().map(String)])

/** `409 Conflict - it is there already` → `It is there already.` */
function reason(message: string): string {
  const [, because = message.replace(/^\d{3} /, '')] = /^\d{3} [^-]* - (.*)$/s.exec(message) ?? []
  return sentence(because)
}

function sentence(text: string): string {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  return /[.!?]$/.test(whole) ? whole : `${whole}.`
}
