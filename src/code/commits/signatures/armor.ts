/** Longer signatures are not looked at. */
const LONGEST = 100_000

/** The bytes of a signature between its lines `-----BEGIN …` and `-----END …`. Undefined for what has none. */
export function unarmored(text: string): Buffer | undefined {
  if (text.length > LONGEST) return undefined
  const [, body] = /^-----BEGIN [A-Z ]+-----\r?\n([^]*?)^-----END /m.exec(text) ?? []
  if (body === undefined) return undefined
  const base64 = body
    .split(/\r?\n/)
    // Headers such as `Version: 1`, and the checksum at the end.
    .filter((line) => !line.includes(':') && !line.startsWith('='))
    .join('')
  return base64 === '' ? undefined : Buffer.from(base64, 'base64')
}
