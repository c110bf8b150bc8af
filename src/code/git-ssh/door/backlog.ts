import type { ServerChannel } from 'ssh2'

/** The most bytes that may wait of each session, whose window has 2 MiB. */
const MOST = 2.5 * 1024 * 1024

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
    if ([...this.#channels].every(({ readableLength }) => readableLength === 0)) {
      this.#came = this.#taken = 0
      return false
    }
    this.#came += bytes
    return this.#came - this.#taken > MOST * this.#channels.size + this.#taken * AROUND
  }
}
