import type { IncomingHttpHeaders } from 'node:http'

/** How long an upstream that does not answer is left alone, and how long one that limits its callers, unless it says. */
const DOWN = 5_000
const LIMITED = 30_000
/** The longest time that an upstream may ask for. */
const LONGEST = 60 * 60_000
/** How long it is remembered that an upstream does not have something. */
const ABSENT = 60_000
const REMEMBERED = 20_000

/** What this process knows of upstreams besides what is kept: which are to be left alone, and what they do not have. */
export class UpstreamStates {
  readonly #pauses = new Map<number, { readonly until: number; readonly limited: boolean }>()
  readonly #absent = new Map<string, number>()

  /** When an upstream may be asked again, in milliseconds from now; undefined when it may be asked now. */
  pauseOf(upstreamId: number): { readonly left: number; readonly limited: boolean } | undefined {
    const pause = this.#pauses.get(upstreamId)
    const left = (pause?.until ?? 0) - Date.now()
    if (pause !== undefined && left > 0) return { left, limited: pause.limited }
    this.#pauses.delete(upstreamId)
    return undefined
  }

  noteDown(upstreamId: number): void {
    this.#pauses.set(upstreamId, { until: Date.now() + DOWN, limited: false })
  }

  /** Notes what an answer says: 429, or 503 with a time. */
  noteAnswer(upstreamId: number, status: number, headers: IncomingHttpHeaders): void {
    const asked = retryAfter(headers['retry-after'])
    if (status === 429) this.#pause(upstreamId, asked ?? LIMITED, true)
    else if (status >= 500) this.#pause(upstreamId, asked ?? DOWN, false)
  }

  #pause(upstreamId: number, milliseconds: number, limited: boolean): void {
    this.#pauses.set(upstreamId, { until: Date.now() + Math.min(milliseconds, LONGEST), limited })
  }

  isAbsent(key: string): boolean {
    const until = this.#absent.get(key)
    if (until === undefined) return false
    if (until > Date.now()) return true
    this.#absent.delete(key)
    return false
  }

  noteAbsent(key: string): void {
    this.#absent.delete(key)
    this.#absent.set(key, Date.now() + ABSENT)
    const [oldest] = this.#absent.keys()
    if (this.#absent.size > REMEMBERED && oldest !== undefined) this.#absent.delete(oldest)
  }
}

/** Reads seconds, or a date, into milliseconds from now. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const milliseconds = /^\d{1,9}$/.test(header.trim())
    ? Number(header) * 1000
    : Date.parse(header) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}
