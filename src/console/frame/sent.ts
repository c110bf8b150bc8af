import type { FastifyRequest } from 'fastify'
import { CSRF_FIELD } from '#platform/http/browser-sessions.ts'
import type { Typed } from './fields.ts'
import { DOES, SEEN } from './forms.ts'

/** What a form sent. */
export interface Sent {
  readonly does: string
  /** Which texts somebody saw who changes them. */
  readonly seen: string | undefined
  /** What was typed, by the names of fields. */
  readonly typed: ReadonlyMap<string, Typed>
  /** The same as parameters of the API. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export function sentIn({ body }: FastifyRequest): Sent {
  const all: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {}
  const { [DOES]: does, [SEEN]: seen, [CSRF_FIELD]: _, ...fields } = all
  const parameters = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, withLineFeeds(value)]),
  )
  return {
    does: typeof does === 'string' ? does : '',
    seen: typeof seen === 'string' ? seen : undefined,
    typed: typedIn(parameters),
    parameters,
  }
}

/** Browsers end lines of texts with two characters, and everything else with one. */
function withLineFeeds(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\r\n?/g, '\n')
  if (Array.isArray(value)) return value.map(withLineFeeds)
  if (typeof value !== 'object' || value === null || 'data' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withLineFeeds(one)]))
}

/** What was typed, by the names that fields have: `a`, `c[d]`; a list without its brackets. */
function typedIn(parameters: Readonly<Record<string, unknown>>): ReadonlyMap<string, Typed> {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => pairsOf(name, value))
  const byName = Map.groupBy(pairs, ([name]) => name.replace(/\[\]$/, ''))
  return new Map([...byName].map(([name, some]) => [name, some.map(([, text]) => text)]))
}

/** The fields of a form by their full names, as a form sends them: `a`, `b[]`, `c[d]`. Files cannot be sent again. */
export function fieldsIn({ body }: FastifyRequest): readonly (readonly [name: string, value: string])[] {
  const all = typeof body === 'object' && body !== null ? Object.entries(body) : []
  return all.filter(([name]) => name !== CSRF_FIELD).flatMap(([name, value]) => pairsOf(name, value))
}

function pairsOf(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[name, value]]
  if (Array.isArray(value)) return value.flatMap((one) => pairsOf(`${name}[]`, one))
  if (typeof value !== 'object' || value === null || 'data' in value) return []
  return Object.entries(value).flatMap(([key, one]) => pairsOf(`${name}[${key}]`, one))
}
