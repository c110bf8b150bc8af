/** What stands in the log where a secret was: as many of these, so that what follows stays where its runner says it is. */
const SIGN = 0x78
/** Bytes of all secrets of a job. */
export const MOST_SECRET_BYTES = 100_000

/** A part of a log that may be shown, and its end that may be the beginning of a secret. */
export interface MaskedPart {
  readonly shown: Buffer
  readonly heldBack: Buffer
}

/**
 * Finds many secrets in a log at once: one step for each byte, however many secrets there are and however they repeat themselves (Aho and
 * Corasick, 1975).
 */
export class Mask {
  /** Where each node leads with each byte, by `node * 256 + byte`. */
  readonly #next = new Map<number, number>()
  /** For each node: the longest other beginning of a secret that it ends with. */
  readonly #fallback: Int32Array
  /** For each node: bytes of the secret beginning that it stands for, and of the longest secret that ends there. */
  readonly #depth: Int32Array
  readonly #longest: Int32Array

  constructor(secrets: readonly string[]) {
    const all = secrets.filter((secret) => secret !== '').map((secret) => Buffer.from(secret))
    const nodes = all.reduce((sum, { length }) => sum + length, 1)
    this.#fallback = new Int32Array(nodes)
    this.#depth = new Int32Array(nodes)
    this.#longest = new Int32Array(nodes)
    let last = 0
    const order: { readonly node: number; readonly parent: number; readonly byte: number }[] = []
    for (const secret of all) {
      let node = 0
      for (const byte of secret) {
        const key = node * 256 + byte
        let to = this.#next.get(key)
        if (to === undefined) {
          to = last += 1
          this.#next.set(key, to)
          this.#depth[to] = this.#depthOf(node) + 1
          order.push({ node: to, parent: node, byte })
        }
        node = to
      }
      this.#longest[node] = secret.length
    }
    // Shorter beginnings first: a fallback is always shorter.
    for (const { node, parent, byte } of order.toSorted(
      (a, b) => this.#depthOf(a.node) - this.#depthOf(b.node),
    )) {
      const to = parent === 0 ? 0 : this.#step(this.#fallback[parent] ?? 0, byte)
      this.#fallback[node] = to
      this.#longest[node] = Math.max(this.#longest[node] ?? 0, this.#longest[to] ?? 0)
    }
  }

  /**
   * Masks the next part of a log.
   * @param heldBack what was held back of the part before
   * @param isLast whether nothing follows, so that nothing need be held back
   */
  part(heldBack: Buffer, piece: Buffer, isLast = false): MaskedPart {
    const raw = heldBack.length === 0 ? piece : Buffer.concat([heldBack, piece])
    // For each byte, how long the secret is that ends with it.
    const ending = new Int32Array(raw.length)
    let node = 0
    for (let at = 0; at < raw.length; at += 1) {
      node = this.#step(node, raw[at] ?? 0)
      ending[at] = this.#longest[node] ?? 0
    }
    const tail = isLast ? raw.length : raw.length - this.#depthOf(node)
    // Where the end begins inside a secret, that secret is looked at again together with what comes.
    let from = tail
    for (let at = tail; at < raw.length; at += 1) {
      const length = ending[at] ?? 0
      if (length > 0) from = Math.min(from, at + 1 - length)
    }
    return { shown: covered(raw, ending).subarray(0, from), heldBack: raw.subarray(from) }
  }

  #step(from: number, byte: number): number {
    for (let node = from; ; node = this.#fallback[node] ?? 0) {
      const to = this.#next.get(node * 256 + byte)
      if (to !== undefined) return to
      if (node === 0) return 0
    }
  }

  #depthOf = (node: number): number => this.#depth[node] ?? 0
}

/** The same bytes with secrets covered. Each byte is written at most once, however the secrets overlap. */
function covered(raw: Buffer, ending: Int32Array): Buffer {
  if (!ending.some((length) => length > 0)) return raw
  const copy = Buffer.from(raw)
  let low = raw.length
  for (let at = raw.length - 1; at >= 0; at -= 1) {
    const length = ending[at] ?? 0
    const start = at + 1 - length
    if (length === 0 || start >= low) continue
    copy.fill(SIGN, start, Math.min(at + 1, low))
    low = start
  }
  return copy
}
