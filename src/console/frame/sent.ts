import type { FastifyRequest } from 'fastify'
import { CSRF_FIELD } from '#platform/http/browser-sessions.ts'
import { isFile } from '#platform/http/scalars.ts'
import { badRequest } from '#platform/refusals.ts'
import { readShown, type ShownFields } from './changed-fields.ts'
import type { Typed } from './fields.ts'
import { DOES, SEEN, SHOWN } from './forms.ts'
import { pairsOf, typedIn } from './typed.ts'

/** Characters that stand for what the largest form showed. More of them would take seconds to read. */
const MOST_SHOWN = 30_000

/** What a form sent. */
export interface Sent {
  readonly does: string
  /** Which texts somebody saw who changes them. */
  readonly seen: string | undefined
  /** What the form showed in its fields (`changes` of a form). */
  readonly shown: ShownFields | undefined
  /** What was typed, by the names of fields. */
  readonly typed: ReadonlyMap<string, Typed>
  /** The same as parameters of the API. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** @throws 400 for a form that none of the pages has */
export function sentIn({ body }: FastifyRequest): Sent {
  const all: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { [DOES]: does, [SEEN]: seen, [SHOWN]: shown, [CSRF_FIELD]: _, ...fields } = all
  const parameters = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, withLineFeeds(value)]),
  )
  if (typeof shown === 'string' && shown.length > MOST_SHOWN)
    throw badRequest(`${SHOWN} is longer than that of any form`)
  return {
    does: typeof does === 'string' ? does : '',
    seen: typeof seen === 'string' ? seen : undefined,
    shown: typeof shown === 'string' ? readShown(shown) : undefined,
    typed: typedIn(parameters),
    parameters,
  }
}

/** Browsers end lines of texts with two characters, and everything else with one. */
function withLineFeeds(value: unknown): unknown {
  // A text may be nothing but ends of lines: an expression would take three times as long.
  if (typeof value === 'string') return value.split('\r\n').join('\n').split('\r').join('\n')
  if (Array.isArray(value)) return value.map(withLineFeeds)
  if (typeof value !== 'object' || value === null || isFile(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLineFeeds(one)]))
}

/** The fields of a form by their full names, as a form sends them: `a`, `b[]`, `c[d]`. Files cannot be sent again. */
export function fieldsIn({ body }: FastifyRequest): readonly (readonly [name: string, value: string])[] {
  const all = typeof body === 'object' && body !== null ? Object.entries(body) : []
  return all.filter(([name]) => name !== CSRF_FIELD).flatMap(([name, value]) => pairsOf(name, value))
}
