/** What a backslash begins in JSON. `JSON.stringify` writes half of a pair of surrogates so, and whole pairs as they are. */
const ESCAPED = /\\(?:(ud[89a-f][0-9a-f]{2})|.)/g

/**
 * JSON as PostgreSQL takes it. It refuses half of a character, which is what is left where a text is cut, and a value that clients may
 * send: that becomes the sign for what nobody can read, as it does in columns of text.
 */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  if (!text.includes('\\ud')) return text
  return text.replaceAll(ESCAPED, (escaped, half?: string) => (half === undefined ? escaped : '\\ufffd'))
}
