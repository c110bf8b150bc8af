import type { FastifyRequest } from 'fastify'
import { type ErrorBody, meaningOf } from '#platform/http/errors.ts'

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

/** Reads a refusal of the API. */
function problemsIn(body: ErrorBody | string): Problems {
  if (typeof body === 'string') return new Problems(new Map(), [sentence(body)])
  const { message, error } = body
  if (typeof message === 'object' && !Array.isArray(message))
    return new Problems(new Map(attributesOf(message)), [])
  const said = Array.isArray(message) ? message.map(String) : [message ?? error ?? '']
  if (error === undefined || message !== undefined) return new Problems(new Map(), said.map(reason))
  const fields = new Map<string, readonly string[]>()
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
