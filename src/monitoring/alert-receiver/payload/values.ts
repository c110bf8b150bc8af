import { hash } from 'node:crypto'
import { readWrittenTime } from '#platform/written-times.ts'
import { isObject } from './report.ts'

/** What stands for one in a payload: a text, a number or a truth value. Blank ones count as absent. */
export function valueAsText(value: unknown, max: number): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return null
  const text = value.trim()
  return text === '' ? null : text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`
}

/** The first value that is a text. */
export function firstText(values: readonly unknown[], max: number): string | null {
  for (const value of values) {
    const text = valueAsText(value, max)
    if (text !== null) return text
  }
  return null
}

const MOST_HOSTS = 100
const LONGEST_HOST = 255

/** One host, or a list of them. */
export const hostsOf = (value: unknown): string[] =>
  [value]
    .flat()
    .slice(0, MOST_HOSTS)
    .flatMap((host) => valueAsText(host, LONGEST_HOST) ?? [])

/** The first day that counts as one: Go writes the year 1 for no time at all. */
const EARLIEST = Date.UTC(2, 0, 1)
const LATEST = Date.UTC(9999, 11, 31)
/** Numbers from here on are milliseconds since 1970; smaller ones are seconds. */
const MILLISECONDS = 100_000_000_000

/** Numbers below mean no moment: 0 and 1 are answers to other questions. */
const FIRST = 100_000_000

/** A time as tools write it: in the form of any language, or seconds or milliseconds since 1970. Null for anything else. */
export function momentOf(value: unknown): string | null {
  const at = typeof value === 'number' ? fromNumber(value) : typeof value === 'string' ? fromText(value) : NaN
  return at >= EARLIEST && at <= LATEST ? new Date(at).toISOString() : null
}

function fromNumber(value: number): number {
  if (Math.abs(value) < FIRST) return NaN
  return Math.abs(value) < MILLISECONDS ? value * 1000 : value
}

function fromText(value: string): number {
  const text = value.trim()
  return readWrittenTime(text) ?? (/^\d{9,13}(?:\.\d{1,9})?$/.test(text) ? fromNumber(Number(text)) : NaN)
}

export const sha1 = (text: string): string => hash('sha1', text, 'hex')

/** A text that is equal for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
