/** The lengths of git's packets (gitprotocol-common(5)). */
const HEAD = 4
/** The most that fits into one packet of a side band, beside its head and its number. */
const BAND = 65_515

export const FLUSH = Buffer.from('0000')

/** A packet: four hexadecimal digits for its length, and its content. */
export function packet(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([Buffer.from((bytes.length + HEAD).toString(16).padStart(HEAD, '0')), bytes])
}

/** Packets that carry bytes in a side band: 1 for the answer, 2 for messages to the person. */
export function banded(band: 1 | 2, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  const packets: Buffer[] = []
  for (let at = 0; at < bytes.length; at += BAND) {
    packets.push(packet(Buffer.concat([Buffer.of(band), bytes.subarray(at, at + BAND)])))
  }
  return Buffer.concat(packets)
}

/** The packets of a request are not what the protocol says. */
export class BadPacket extends Error {
  override readonly name = 'BadPacket'
}

/** Reads packets, and then whatever follows them, from bytes as they arrive. */
export class PacketReader {
  readonly #bytes: AsyncIterator<Buffer>
  #buffer: Buffer = Buffer.alloc(0)
  #done = false

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes[Symbol.asyncIterator]()
  }

  /** The content of the next packet; null for a flush, undefined at the end of the bytes. @throws {BadPacket} */
  async next(): Promise<Buffer | null | undefined> {
    if (!(await this.#fill(HEAD))) {
      if (this.#buffer.length === 0) return undefined
      throw new BadPacket('the request ended within a packet')
    }
    const head = this.#buffer.toString('latin1', 0, HEAD)
    const length = /^[0-9a-f]{4}$/i.test(head) ? Number.parseInt(head, 16) : -1
    if (length !== 0 && length < HEAD) throw new BadPacket('a packet has no length')
    if (length === 0) {
      this.#buffer = this.#buffer.subarray(HEAD)
      return null
    }
    if (!(await this.#fill(length))) throw new BadPacket('the request ended within a packet')
    const content = this.#buffer.subarray(HEAD, length)
    this.#buffer = this.#buffer.subarray(length)
    return content
  }

  /** The next bytes, which stay there to be read. Fewer at the end. */
  async peek(count: number): Promise<Buffer> {
    await this.#fill(count)
    return this.#buffer.subarray(0, count)
  }

  /** All bytes that are left. */
  async *rest(): AsyncGenerator<Buffer> {
    if (this.#buffer.length > 0) yield this.#buffer
    this.#buffer = Buffer.alloc(0)
    while (!this.#done) {
      const { value, done } = await this.#bytes.next()
      if (done === true) this.#done = true
      else yield value
    }
  }

  async #fill(count: number): Promise<boolean> {
    const pieces = [this.#buffer]
    let have = this.#buffer.length
    while (have < count && !this.#done) {
      const { value, done } = await this.#bytes.next()
      if (done === true) this.#done = true
      else {
        pieces.push(value)
        have += value.length
      }
    }
    if (pieces.length > 1) this.#buffer = Buffer.concat(pieces)
    return have >= count
  }
}
