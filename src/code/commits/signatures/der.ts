/** A value in DER (X.690): what it is, and its bytes. */
export interface Der {
  readonly tag: number
  readonly content: Buffer
  /** With the tag and the length. */
  readonly raw: Buffer
  /** Where the next value begins. */
  readonly end: number
}

/** Reads the value at a position. Undefined when there is none, or it does not end there. */
export function readDer(bytes: Buffer, start: number): Der | undefined {
  const [tag, first] = [bytes[start], bytes[start + 1]]
  if (tag === undefined || first === undefined) return undefined
  const size = first < 0x80 ? 0 : first & 0x7f
  const at = start + 2 + size
  // A length of no bytes would be BER; more than four are longer than any file here.
  if ((first >= 0x80 && (size === 0 || size > 4)) || at > bytes.length) return undefined
  const length = size === 0 ? first : bytes.readUIntBE(start + 2, size)
  const end = at + length
  if (end > bytes.length) return undefined
  return { tag, content: bytes.subarray(at, end), raw: bytes.subarray(start, end), end }
}

/** The values in a value, as far as they can be read. */
export function childrenOf({ content }: Pick<Der, 'content'>): Der[] {
  const children: Der[] = []
  for (let at = 0; at < content.length;) {
    const child = readDer(content, at)
    if (child === undefined) break
    children.push(child)
    at = child.end
  }
  return children
}
