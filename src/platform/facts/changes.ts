/** What differs, by name: the values as text, null for none. */
export type Changes = Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>

/** What was given, and what it made different where that is known. */
export interface Changed {
  readonly fields: readonly string[]
  readonly changes?: Changes
}

/** Longer values are cut: who needs the whole text looks at the thing itself. */
const LONGEST = 255

/** What a change made different, of the values that are known from before and given now. For facts: nobody could look up the old ones. */
export function changesBetween(before: object, after: object): Changes {
  const given = new Map<string, unknown>(Object.entries(after))
  const changes: Record<string, Changes[string]> = {}
  for (const [name, was] of Object.entries(before)) {
    const is = given.get(name)
    if (is === undefined || JSON.stringify(is) === JSON.stringify(was)) continue
    changes[name] = { from: textOf(was), to: textOf(is) }
  }
  return changes
}

/** A value as people read it. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A cut may fall between the two halves of a character, which PostgreSQL would not take.
  return (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text).toWellFormed()
}
