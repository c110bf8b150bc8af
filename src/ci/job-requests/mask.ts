import { randomInt } from 'node:crypto'

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
 * Corasick, 1975). A node stands for the beginning of a secret; node 0 for the empty one.
 */
export class Mask {
  readonly #children: Children
  /** For each node: the longest other beginning of a secret that it ends with. */
  readonly #fallback: Int32Array
  /** For each node: bytes of the secret beginning that it stands for, and of the longest secret that ends there. */
  readonly #depth: Int32Array
  readonly #longest: Int32Array

  constructor(secrets: readonly string[]) {
    const all = secrets.map((secret) => ({ bytes: Buffer.from(secret), node: 0 }))
    const most = all.reduce((sum, { bytes }) => sum + bytes.length, 1)
    this.#children = new Children(most)
    this.#fallback = new Int32Array(most)
    this.#depth = new Int32Array(most)
    this.#longest = new Int32Array(most)
    // By the first bytes of all secrets, then by the second ones: a fallback is shorter, so it is there already.
    let left = all.filter(({ bytes }) => bytes.length > 0)
    for (let depth = 1, last = 0; left.length > 0; depth += 1) {
      for (const secret of left) {
        const byte = secret.bytes[depth - 1] ?? 0
        let node = this.#children.get(secret.node, byte)
        if (node === 0) {
          node = last += 1
          const fallback = secret.node === 0 ? 0 : this.#step(this.#fallback[secret.node] ?? 0, byte)
          this.#fallback[node] = fallback
          this.#depth[node] = depth
          this.#longest[node] = this.#longest[fallback] ?? 0
          this.#children.set(secret.node, byte, node)
        }
        secret.node = node
        if (secret.bytes.length === depth) this.#longest[node] = depth
      }
      left = left.filter(({ bytes }) => bytes.length > depth)
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
    const tail = isLast ? raw.length : raw.length - (this.#depth[node] ?? 0)
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
      const to = this.#children.get(node, byte)
      if (to !== 0 || node === 0) return to
    }
  }
}

/** An odd number that nobody knows, so that nobody finds secrets whose places are all the same. */
const SPREAD = 2 * randomInt(2 ** 31) + 1

/** Where each node leads with each byte: a hash table, since most lead nowhere with most bytes. */
class Children {
  /** The keys that are there, plus 1, and where they lead. */
  readonly #keys: Int32Array
  readonly #nodes: Int32Array
  readonly #shift: number
  /** The same for node 0, where most bytes of a log are. */
  readonly #first = new Int32Array(256)

  constructor(nodes: number) {
    const bits = 1 + Math.ceil(Math.log2(nodes + 1))
    this.#keys = new Int32Array(2 ** bits)
    this.#nodes = new Int32Array(2 ** bits)
    this.#shift = 32 - bits
  }

  /** @returns 0 where it leads nowhere */
  get(node: number, byte: number): number {
    return (node === 0 ? this.#first[byte] : this.#nodes[this.#slot(node, byte)]) ?? 0
  }

  set(node: number, byte: number, to: number): void {
    if (node === 0) {
      this.#first[byte] = to
      return
    }
    const slot = this.#slot(node, byte)
    this.#keys[slot] = node * 256 + byte + 1
    this.#nodes[slot] = to
  }

  /** The place of a key, or the empty one where it would be. */
  #slot(node: number, byte: number): number {
    const key = node * 256 + byte + 1
    let slot = Math.imul(key, SPREAD) >>> this.#shift
    for (let there = this.#keys[slot]; there !== key && there !== 0; there = this.#keys[slot])
      slot = (slot + 1) & (this.#keys.length - 1)
    return slot
  }
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
