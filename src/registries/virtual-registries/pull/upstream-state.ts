import type { IncomingHttpHeaders } from 'node:http'

/** How long an upstream that does not answer is left alone, and how long one that limits its callers, unless it says. */
const DOWN = 5_000
const LIMITED = 30_000
/** The longest time that an upstream may ask for. */
const MAX_REST_MS = 60 * 60_000
/** How long it is remembered that an upstream does not have something. */
const ABSENT = 60_000
const REMEMBERED = 20_000

interface Pause {
  readonly until: number
  /** It limits its callers. */
  readonly limited: boolean
  /** The upstream asks for it itself. Otherwise it may be asked when nobody else can answer. */
  readonly told: boolean
}

/** What this process knows of upstreams besides what is kept: which are to be left alone, and what they do not have. */
export class UpstreamStates {
  readonly #pauses = new Map<number, Pause>()
  readonly #absent = new Map<string, number>()

  /** When an upstream may be asked again, in milliseconds from now; undefined when it may be asked now. */
  pauseOf(upstreamId: number): (Omit<Pause, 'until'> & { readonly left: number }) | undefined {
    const pause = this.#pauses.get(upstreamId)
    const left = (pause?.until ?? 0) - Date.now()
    if (pause !== undefined && left > 0) return { left, limited: pause.limited, told: pause.told }
    this.#pauses.delete(upstreamId)
    return undefined
  }

  noteDown(upstreamId: number): void {
    this.#pause(upstreamId, DOWN, { limited: false, told: false })
  }

  /** Notes what an answer says: 429, or 503 with a time. */
  noteAnswer(upstreamId: number, status: number, headers: IncomingHttpHeaders): void {
    const asked = retryAfter(headers['retry-after'])
    if (status === 429) this.#pause(upstreamId, asked ?? LIMITED, { limited: true, told: true })
    // 501 is about the method.
    else if (status >= 500 && status !== 501)
      this.#pause(upstreamId, asked ?? DOWN, { limited: false, told: asked !== undefined })
    else this.#pauses.delete(upstreamId)
  }

  #pause(upstreamId: number, milliseconds: number, pause: Omit<Pause, 'until'>): void {
    this.#pauses.set(upstreamId, { ...pause, until: Date.now() + Math.min(milliseconds, MAX_REST_MS) })
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
