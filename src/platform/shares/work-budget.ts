/** What programs such as git may use for one request, in all its processes together. */
export const WORK = { milliseconds: 30_000, bytes: 192 * 1024 * 1024 } as const

/**
 * How much of the time and the memory that one request may have is left. Only time counts in which at least one of its
 * processes works; streams, which last as long as their client reads, do not.
 */
export class WorkBudget {
  #milliseconds: number
  #bytes: number
  #working = 0
  #since = 0

  constructor({ milliseconds, bytes }: { readonly milliseconds: number; readonly bytes: number } = WORK) {
    this.#milliseconds = milliseconds
    this.#bytes = bytes
  }

  /** Milliseconds. Below zero once the request has had its time. */
  get left(): number {
    return this.#working === 0 ? this.#milliseconds : this.#milliseconds - (performance.now() - this.#since)
  }

  /** Counts the time from now on. @returns ends that; to be called once */
  work(): () => void {
    if (this.#working === 0) this.#since = performance.now()
    this.#working += 1
    return () => {
      this.#milliseconds = this.left
      this.#since = performance.now()
      this.#working -= 1
    }
  }

  /** Counts bytes that were read into memory. @returns whether that many were left */
  take(bytes: number): boolean {
    this.#bytes -= bytes
    return this.#bytes >= 0
  }
}
