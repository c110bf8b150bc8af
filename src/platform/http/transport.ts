/** How long the server waits for the bytes of a body. Only waiting counts, not the server's own work. */
export interface Pace {
  /** The maximum of milliseconds between two pieces. */
  readonly idle: number
  /**
   * The total of milliseconds. Every piece gives back the time that it may take at {@link bytesPerSecond}, but never
   * more than was used: nobody sends quickly first to be slow for hours.
   */
  readonly wait: number
  /** The minimum rate; `Infinity` where the whole body must arrive within {@link wait}. */
  readonly bytesPerSecond: number
}

/** How slowly a client may read its answer. Only time counts in which something waits for it. */
export interface ReadingPace {
  /** The total of milliseconds. What the client reads gives back the time that it may take at {@link bytesPerSecond}. */
  readonly wait: number
  readonly bytesPerSecond: number
  /** The same total where nobody tells how much of what was sent has not arrived, so that a client gets on by leaps. */
  readonly unseen: number
  /** Milliseconds between two looks at the connections. */
  readonly look: number
}

/** The limits for connections and bodies. Tests use small ones. */
export interface Transport {
  /** Milliseconds until the head of a request is complete, from its first byte or the opening of the connection. */
  readonly head: number
  /** Milliseconds between two checks for slow heads. */
  readonly headCheck: number
  /** For bodies that are read into memory. */
  readonly inMemory: Pace
  /** For streamed bodies, however large they are. */
  readonly streamed: Pace
  /** For answers of all kinds. */
  readonly reading: ReadingPace
  /** How much of a body is read, and thrown away, after its request has been answered. */
  readonly rest: { readonly bytes: number; readonly milliseconds: number }
  /** Bytes of all bodies in memory together. */
  readonly memory: number
}

const MiB = 1024 * 1024

export const defaultTransport: Transport = {
  head: 30_000,
  headCheck: 2_000,
  inMemory: { idle: 10_000, wait: 30_000, bytesPerSecond: Number.POSITIVE_INFINITY },
  streamed: { idle: 60_000, wait: 60_000, bytesPerSecond: 1_024 },
  reading: { wait: 60_000, unseen: 600_000, bytesPerSecond: 1_024, look: 5_000 },
  rest: { bytes: 64 * MiB, milliseconds: 15_000 },
  memory: 256 * MiB,
}
