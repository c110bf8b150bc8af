import { Shares, type ShareLimits } from '#platform/shares/shares.ts'
import { GitBusy } from '../errors.ts'

/** Slots for processes of a kind, which the callers share as they share the database. */
export class Slots {
  readonly #shares: Shares

  constructor(limits: ShareLimits) {
    this.#shares = new Shares(limits)
  }

  get taken(): number {
    return this.#shares.running
  }

  get waiting(): number {
    return this.#shares.waiting
  }

  /**
   * Waits for a slot.
   * @param caller undefined for the server itself.
   * @returns a function that gives it back; calling it again does nothing.
   * @throws {GitBusy} when too many wait or it took too long; the signal's reason when it is aborted meanwhile.
   */
  async take(caller: string | undefined, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const place = this.#shares.ask(
      caller,
      () => resolve(),
      (shortage) => reject(new GitBusy(shortage)),
    )
    const leave = () => this.#shares.leave(place)
    const onAbort = () => {
      leave()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
    return leave
  }
}
