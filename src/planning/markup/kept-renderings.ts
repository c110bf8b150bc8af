import { createHash } from 'node:crypto'
import type { Rendered } from './find-references.ts'

/** Bytes that all renderings may take together. */
const MAX_BYTES = 16 * 1024 * 1024
/** Bytes of an entry besides its HTML, and of a reference: what the objects take. */
const ENTRY = 300
const REFERENCE = 400

/**
 * What was rendered lately, by the digest of what it was made of. It holds for everybody: nobody's rights are in it. The one that
 * was not asked for longest goes first.
 */
export class KeptRenderings {
  readonly #kept = new Map<string, { readonly rendered: Rendered; readonly bytes: number }>()
  readonly #most: number
  #bytes = 0

  constructor(most: number = MAX_BYTES) {
    this.#most = most
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The key of something made of these parts. */
  static keyOf(parts: readonly string[]): string {
    return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  }

  get(key: string): Rendered | undefined {
    const found = this.#kept.get(key)
    if (found === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.rendered
  }

  /** Keeps a rendering, unless it would take the room of all others. */
  keep(key: string, rendered: Rendered): void {
    const bytes = ENTRY + 2 * rendered.html.length + REFERENCE * rendered.references.length
    if (bytes > this.#most / 4 || this.#kept.has(key)) return
    this.#kept.set(key, { rendered, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= this.#most) break
      this.#kept.delete(oldest)
      this.#bytes -= freed
    }
  }
}
