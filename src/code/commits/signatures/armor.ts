/** Longer signatures are not looked at. */
const MAX_SIGNATURE = 100_000

/** The bytes of a signature between its lines `-----BEGIN …` and `-----END …`. Undefined for what has none. */
export function unarmored(text: string): Buffer | undefined {
  if (text.length > MAX_SIGNATURE) return undefined
  const begin = /^-----BEGIN [A-Z ]+-----\r?\n/m.exec(text)
  if (begin === null) return undefined
  const from = begin.index + begin[0].length
  const end = text.indexOf('\n-----END ', from - 1)
  if (end < from) return undefined
  const base64 = text
    .slice(from, end)
    .split(/\r?\n/)
    // Headers such as `Version: 1`, and the checksum at the end.
    .filter((line) => !line.includes(':') && !line.startsWith('='))
    .join('')
  return base64 === '' ? undefined : Buffer.from(base64, 'base64')
}
