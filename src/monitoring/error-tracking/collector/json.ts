/** An object of unknown values. */
export type Json = Readonly<Record<string, unknown>>

/** The value if it is an object; undefined otherwise. */
export const asRecord = (value: unknown): Json | undefined => (isRecord(value) ? value : undefined)

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value if it is a list; otherwise an empty one. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The list of an attribute that is `{"values": […]}`, or the list itself. */
export const valuesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : asList(asRecord(value)?.['values'])

/** What is written of a number or flag, and at most so many characters of a text; undefined for everything else. */
export function boundedText(value: unknown, max: number): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return undefined
  const cut = value.length > max ? `${value.slice(0, max - 1)}…` : value
  // A cut may fall between the two halves of a character, and PostgreSQL keeps no zero bytes.
  return cut.toWellFormed().replaceAll('\0', '')
}

/** The same, without what is empty. */
export const filledText = (value: unknown, max: number): string | undefined =>
  boundedText(value, max) || undefined

/** How many values an event may still bring in fields of any shape. */
export interface Budget {
  left: number
}

const DEPTH = 5
const KEYS = 50
const TEXT = 1024

/** At most so much of a value of any shape. */
export function bounded(value: unknown, budget: Budget, depth = DEPTH): unknown {
  budget.left -= 1
  if (budget.left < 0) return undefined
  if (typeof value === 'string') return boundedText(value, TEXT)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '…'
  if (Array.isArray(value)) return value.slice(0, KEYS).map((one) => bounded(one, budget, depth - 1) ?? null)
  const entries: [string, unknown][] = []
  for (const [key, one] of Object.entries(value)) {
    if (entries.length === KEYS || budget.left <= 0) break
    entries.push([boundedText(key, 200) ?? '', bounded(one, budget, depth - 1)])
  }
  return Object.fromEntries(entries)
}
