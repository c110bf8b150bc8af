import type { Socket } from 'node:net'
import { ReadingMeter } from './reading-meter.ts'
import type { ReadingPace } from './transport.ts'
import { unreadBytes } from './unread-bytes.ts'

/** How many bytes another process has written to a connection, by its connection. */
const writers = new WeakMap<Socket, () => Promise<number>>()

/** Says that another process writes to a connection, and how much it has written. @returns takes that back */
export function isWrittenElsewhere(connection: Socket, written: () => Promise<number>): () => void {
  writers.set(connection, written)
  return () => void writers.delete(connection)
}

/**
 * Cuts the connections of clients that hardly read. An answer may hold a git process, a file or a connection to another
 * server until its last byte is taken, so whoever reads nothing would keep them for ever. This looks at all connections,
 * so no route can forget it; and at what the other side has taken, because the operating system alone takes megabytes.
 */
export class SlowReaders {
  readonly #pace: ReadingPace
  readonly #onCut: () => void
  readonly #connections = new Set<Socket>()
  readonly #waiting = new Map<Socket, ReadingMeter>()
  #isPlanned = false

  constructor(pace: ReadingPace, onCut: () => void) {
    this.#pace = pace
    this.#onCut = onCut
  }

  watch(connection: Socket): void {
    this.#connections.add(connection)
    connection.once('close', () => {
      this.#connections.delete(connection)
      this.#waiting.delete(connection)
    })
    this.#lookLater()
  }

  #lookLater(): void {
    if (this.#isPlanned || this.#connections.size === 0) return
    this.#isPlanned = true
    setTimeout(() => void this.#look(), this.#pace.look).unref()
  }

  async #look(): Promise<void> {
    const slow = [...this.#connections].filter((one) => one.writableLength > 0 || writers.has(one))
    for (const one of this.#waiting.keys()) if (!slow.includes(one)) this.#waiting.delete(one)
    if (slow.length > 0) {
      // What goes out between the two questions counts at the next look. The other way round, it would count as taken.
      const sent = new Map(await Promise.all(slow.map(async (one) => [one, await sentBytes(one)] as const)))
      const unread = await unreadBytes(slow)
      for (const [one, bytes] of sent) this.#measure(one, bytes, unread.get(one))
    }
    this.#isPlanned = false
    this.#lookLater()
  }

  #measure(connection: Socket, sent: number, unread: number | undefined): void {
    const isWritten = writers.has(connection)
    const waits = isWritten ? unread !== 0 : connection.writableLength > 0
    if (!waits || connection.destroyed) {
      this.#waiting.delete(connection)
      return
    }
    const meter = this.#waiting.get(connection) ?? new ReadingMeter(this.#pace.bytesPerSecond)
    this.#waiting.set(connection, meter)
    const isTooSlow =
      unread === undefined
        ? // A process that writes anything may be at work: it is not the client that is waited for.
          meter.isTooSlow(sent, this.#pace.unseen, isWritten)
        : meter.isTooSlow(sent - unread, this.#pace.wait)
    if (!isTooSlow) return
    this.#onCut()
    connection.destroy()
  }
}

/**
 * How many bytes the operating system has got for a connection. A large piece goes there by and by,
 * of which only the connection's handle tells; otherwise a piece counts once all of it is there.
 */
async function sentBytes(connection: Socket): Promise<number> {
  const written = await writers.get(connection)?.()
  if (written !== undefined) return written
  const handle: unknown = Reflect.get(connection, '_handle')
  if (
    typeof handle === 'object' &&
    handle !== null &&
    'bytesWritten' in handle &&
    'writeQueueSize' in handle
  ) {
    const { bytesWritten, writeQueueSize } = handle
    if (typeof bytesWritten === 'number' && typeof writeQueueSize === 'number')
      return bytesWritten - writeQueueSize
  }
  return connection.bytesWritten - connection.writableLength
}
