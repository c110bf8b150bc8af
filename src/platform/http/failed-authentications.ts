import { networkOf } from './addresses.ts'
import { isUnidentified } from './errors.ts'
import { tooManyRequests } from '#platform/refusals.ts'
import type { Limits } from './limits.ts'

/** The name of the limit, and of the setting: how many wrong credentials an address may send in how many seconds. */
const NAME = 'failed_authentication_limit'
const SECONDS = 60

/** How many digests of correct credentials, and how many refused networks, are remembered: some 100 bytes each. */
const REMEMBERED = 10_000

export interface FailedAuthenticationsOptions {
  readonly limits: Limits
  readonly settings: () => { readonly [NAME]: number }
}

/**
 * Refuses addresses that sent too many wrong credentials, until their period ends, before anything is looked up for
 * them. Processes count failures together. Each process remembers the refused addresses for itself, so that correct
 * credentials cost nothing.
 *
 * Several people may share an address, so credentials that were correct before are still accepted.
 */
export class FailedAuthentications {
  readonly #limits: Limits
  readonly #settings: FailedAuthenticationsOptions['settings']
  /** Until when each network is refused, in milliseconds of the real clock, which limits use. */
  readonly #refused = new Map<string, number>()
  #sweep: NodeJS.Timeout | undefined
  /** Digests of correct credentials, in the order of their first use. */
  readonly #right = new Set<string>()

  constructor({ limits, settings }: FailedAuthenticationsOptions) {
    this.#limits = limits
    this.#settings = settings
  }

  /**
   * Runs the work that identifies the caller. A 401 counts as a failure of the address; no other refusal does.
   * @param sent the digest of the credential that was sent, if any.
   * @param work resolves to undefined when it identified nobody.
   * @throws 429 past the limit, and what `work` throws.
   */
  async watch<T>(ip: string, sent: Buffer | undefined, work: () => Promise<T>): Promise<T> {
    const points = this.#settings()[NAME]
    if (points === 0) return work()
    const digest = sent?.toString('latin1')
    if (digest === undefined || !this.#right.has(digest)) this.#assertHeard(ip)
    try {
      const found = await work()
      if (digest !== undefined && found !== undefined) this.#remember(digest)
      return found
    } catch (error) {
      if (isUnidentified(error)) {
        if (digest !== undefined) this.#right.delete(digest)
        await this.#count(ip, points)
      }
      throw error
    }
  }

  /** The number of networks that are refused now. */
  get refused(): number {
    return this.#refused.size
  }

  forget(): void {
    this.#refused.clear()
    this.#right.clear()
  }

  /** @throws 429 */
  #assertHeard(ip: string): void {
    if (this.#refused.size === 0) return
    const network = networkOf(ip)
    const left = (this.#refused.get(network) ?? 0) - Date.now()
    if (left > 0) {
      this.#limits.noteRefusal(NAME)
      throw tooManyRequests(Math.ceil(left / 1000))
    }
  }

  async #count(ip: string, points: number): Promise<void> {
    const network = networkOf(ip)
    const { times, seconds } = await this.#limits.count(NAME, network, SECONDS)
    if (times < points) return
    this.#refused.set(network, Date.now() + seconds * 1000)
    dropOldest(this.#refused)
    this.#forgetLater()
  }

  /** Removes networks whose period is over, whether they come back or not. */
  #forgetLater(): void {
    if (this.#sweep !== undefined) return
    this.#sweep = setTimeout(() => {
      this.#sweep = undefined
      const now = Date.now()
      for (const [network, until] of this.#refused) if (until <= now) this.#refused.delete(network)
      if (this.#refused.size > 0) this.#forgetLater()
    }, SECONDS * 1000).unref()
  }

  #remember(digest: string): void {
    this.#right.add(digest)
    dropOldest(this.#right)
  }
}

/** Keeps the newest. */
function dropOldest(from: Map<string, unknown> | Set<string>): void {
  if (from.size <= REMEMBERED) return
  const [oldest = ''] = from.keys()
  from.delete(oldest)
}
