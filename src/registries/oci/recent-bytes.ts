/** Bytes in all. */
const MAX_BYTES = 32 * 1024 * 1024
/** Larger ones are read from the store each time. */
const LARGEST = 512 * 1024

/** The bytes of manifests that were asked for lately: small, asked for often, and the same for ever under their digest. */
export class RecentBytes {
  readonly #known = new Map<string, Buffer>()
  #size = 0

  get(digest: string): Buffer | undefined {
    const bytes = this.#known.get(digest)
    if (bytes === undefined) return undefined
    this.#known.delete(digest)
    this.#known.set(digest, bytes)
    return bytes
  }

  add(digest: string, bytes: Buffer): void {
    if (bytes.length > LARGEST || this.#known.has(digest)) return
    this.#known.set(digest, bytes)
    this.#size += bytes.length
    for (const [oldest, { length }] of this.#known) {
      if (this.#size <= MAX_BYTES) return
      this.#known.delete(oldest)
      this.#size -= length
    }
  }
}
