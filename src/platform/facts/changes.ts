/** The changed values by name, as text; null for none. */
export type Changes = Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>

/** The new values and, where known, what they changed. */
export interface FieldChanges {
  readonly fields: readonly string[]
  readonly changes?: Changes
}

/** Longer values are cut. The thing itself holds the whole text. */
const MAX_VALUE = 255

/** Compares the values given now with the known earlier ones. For facts: the old values cannot be looked up later. */
export function changesBetween(before: object, after: object): Changes {
  const given = new Map<string, unknown>(Object.entries(after))
  const changes: Record<string, Changes[string]> = {}
  for (const [name, was] of Object.entries(before)) {
    const is = given.get(name)
    if (is === undefined || JSON.stringify(is) === JSON.stringify(was)) continue
    changes[name] = { from: valueAsText(was), to: valueAsText(is) }
  }
  return changes
}

/** A value as people read it. */
export function valueAsText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A cut may fall between the two halves of a character, which PostgreSQL would not accept.
  return (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text).toWellFormed()
}
