/** A name at the beginning of a line, or after others there: `@alice, @bob and @carol: look`. */
const BEGINNING = /^[\s>*-]*((?:@[\w.][\w.\-/]*(?:\s*,\s*|\s+and\s+|\s+&\s+|\s+)?)+)/gmu
const NAME = /@([\w.][\w.\-/]*)/gu

/** The names, in lower case, of those whom a text addresses directly: at the beginning of one of its lines. */
export function addressed(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [, names = ''] of text.matchAll(BEGINNING))
    for (const [, name = ''] of names.matchAll(NAME)) found.add(name.replace(/[.\-/]+$/, '').toLowerCase())
  return found
}
