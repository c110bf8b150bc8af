/** How long the server waits for the bytes of a body. Only the time in which it waits counts, not its own work. */
export interface Pace {
  /** Milliseconds between two pieces. */
  readonly idle: number
  /** Milliseconds in all, to which every piece adds what it may take at {@link bytesPerSecond}. */
  readonly wait: number
  /** The least rate; `Infinity` where the whole body must come within {@link wait}. */
  readonly bytesPerSecond: number
}

/** What the server bears of connections and bodies. Tests hold these small. */
export interface Transport {
  /** Milliseconds until the head of a request is complete, from its first byte or the opening of the connection. */
  readonly head: number
  /** Milliseconds between two looks for heads that take too long. */
  readonly headCheck: number
  /** For bodies that are read into memory. */
  readonly inMemory: Pace
  /** For bodies that pass through, however large they are. */
  readonly streamed: Pace
  /** What is read of a body, and thrown away, after its request has been answered. */
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
  rest: { bytes: 64 * MiB, milliseconds: 15_000 },
  memory: 256 * MiB,
}
