import { isFile } from '#platform/http/scalars.ts'
import type { Typed } from './fields.ts'

/** What was typed, by the names that fields have: `a`, `c[d]`; a list without its brackets. */
export function typedIn(parameters: Readonly<Record<string, unknown>>): ReadonlyMap<string, Typed> {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => pairsOf(name, value))
  const byName = Map.groupBy(pairs, ([name]) => name.replace(/\[\]$/, ''))
  return new Map([...byName].map(([name, some]) => [name, some.map(([, text]) => text)]))
}

/** The fields that a parameter is made of, by their full names. */
export function pairsOf(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[name, value]]
  if (Array.isArray(value)) return value.flatMap((one) => pairsOf(`${name}[]`, one))
  if (typeof value !== 'object' || value === null || isFile(value)) return []
  return Object.entries(value).flatMap(([key, one]) => pairsOf(`${name}[${key}]`, one))
}
