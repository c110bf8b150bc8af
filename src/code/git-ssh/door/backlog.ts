import type { ServerChannel } from 'ssh2'

/**
 * The most bytes that may wait of each session. Its window has 2 MiB, and `ssh2` opens it anew while less than 2 MiB wait: a client that
 * keeps to it may have sent twice as much.
 */
const MOST = 4.5 * 1024 * 1024

/** The most bytes of the packets around them: 20,000 packets, each of which costs some 400 bytes of memory. */
const MOST_AROUND = 1024 * 1024

/** The part of what was taken that may have been the packets around it. */
const AROUND = 1 / 32

/**
 * What a client has sent that the server has not taken yet, in bytes as they came: a packet of one byte costs some 400 bytes of memory,
 * and `ssh2` keeps whatever comes.
 */
export class Backlog {
  readonly #channels = new Set<ServerChannel>()
  #came = 0
  #taken = 0

  /** Counts what is taken of a channel, which begins to be read. */
  watch(channel: ServerChannel): void {
    this.#channels.add(channel)
    channel.on('data', (piece: Buffer) => (this.#taken += piece.length))
    channel.once('close', () => this.#channels.delete(channel))
  }

  /** Counts bytes of the connection, once `ssh2` has given them to their channels. @returns whether too much waits */
  isTooMuchAfter(bytes: number): boolean {
    const waiting = [...this.#channels].reduce((sum, { readableLength }) => sum + readableLength, 0)
    if (waiting === 0) {
      this.#came = this.#taken = 0
      return false
    }
    this.#came += bytes
    const around = this.#came - this.#taken - waiting
    const { size } = this.#channels
    return waiting > MOST * size || around > MOST_AROUND * size + this.#taken * AROUND
  }
}
