import type { OnReadOpts, Socket } from 'node:net'

/** Bytes. A connection between processes holds about as much. */
const SIZE = 256 * 1024

/**
 * Reads a connection into one buffer. A stream makes a new buffer for each piece; gigabytes of them stop the program for
 * garbage collections of 20 to 50 ms, several in a second.
 */
export class OneBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(SIZE)
  #filled = Promise.withResolvers<number>()

  /** What the connection is made with. It reads one piece, and then waits. */
  readonly onread: OnReadOpts = {
    buffer: this.#buffer,
    callback: (size) => {
      this.#filled.resolve(size)
      return false
    },
  }

  /** The pieces that come, up to the end or the break of the connection. Each is good until the next is asked for. */
  async *of(connection: Socket): AsyncGenerator<Buffer> {
    const onClose = (): void => this.#filled.resolve(0)
    connection.once('close', onClose)
    for (;;) {
      const size = connection.closed ? 0 : await this.#filled.promise
      if (size === 0) return
      yield this.#buffer.subarray(0, size)
      this.#filled = Promise.withResolvers()
      connection.resume()
    }
  }
}
