/**
 * The bytes of a body that a route wants as they are. Nothing is read before somebody asks, so that a route can first find out who
 * the sender is.
 */
export class BodyBytes implements AsyncDisposable {
  readonly #pieces: Buffer[] = []
  readonly #rest: AsyncIterator<Buffer>
  #length = 0

  /** @param bytes the body, which ends where it becomes too large */
  constructor(bytes: AsyncIterable<Buffer>) {
    this.#rest = bytes[Symbol.asyncIterator]()
  }

  /**
   * What has arrived when there are at least so many bytes, or when the body is over.
   * @throws 400, 408, 413 and 503 as the body does
   */
  beginning(bytes: number): Promise<Buffer> {
    return this.#read(bytes)
  }

  /** All bytes. @throws the same */
  all(): Promise<Buffer> {
    return this.#read(Number.POSITIVE_INFINITY)
  }

  /** Leaves what nobody read to whoever ends the request. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#rest.return?.()
  }

  async #read(wanted: number): Promise<Buffer> {
    while (this.#length < wanted) {
      const next = await this.#rest.next()
      if (next.done === true) break
      this.#pieces.push(next.value)
      this.#length += next.value.length
    }
    const [only] = this.#pieces
    return only !== undefined && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces)
  }
}
