/** How many networks are remembered of each kind, the newest ones: some 100 bytes each. */
const REMEMBERED = 10_000

/**
 * Networks whose clients failed often to prove a key. Others may share their address, so a network from which keys were proved before may
 * still try, one client after the other.
 */
export class RefusedNetworks {
  /** Until when each is refused, in milliseconds of the monotonic clock. */
  readonly #refused = new Map<string, number>()
  readonly #proved = new Set<string>()

  /** Refuses a network for some seconds. */
  refuse(network: string, seconds: number): void {
    this.#refused.set(network, performance.now() + seconds * 1_000)
    dropOldest(this.#refused)
  }

  /** Remembers that somebody there has proved a key. */
  noteProof(network: string): void {
    this.#proved.add(network)
    dropOldest(this.#proved)
  }

  /**
   * How many clients of a network may be about to prove a key at once.
   * @param usual for networks that are not refused
   */
  roomFor(network: string, usual: number): number {
    const until = this.#refused.get(network)
    if (until === undefined) return usual
    if (until > performance.now()) return this.#proved.has(network) ? 1 : 0
    this.#refused.delete(network)
    return usual
  }
}

function dropOldest(from: Map<string, unknown> | Set<string>): void {
  if (from.size <= REMEMBERED) return
  const [oldest = ''] = from.keys()
  from.delete(oldest)
}
