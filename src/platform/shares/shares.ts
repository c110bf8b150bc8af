import { isAnonymous } from './caller.ts'

export interface ShareLimits {
  /** Places in all; by default as many as the callers take. */
  readonly atOnce?: number
  /** Places of one caller. */
  readonly each: number
  /** Places of one anonymous caller; by default as many as others have. */
  readonly eachAnonymous?: number
  /** Places of all anonymous callers together, because addresses cost nothing; by default as many as there are. */
  readonly anonymous?: number
  /** How many times one caller may wait; further ones are refused at once. */
  readonly waiting: number
  /** The same for all callers together; by default without a limit. */
  readonly waitingInAll?: number
  /** Milliseconds that somebody waits for a place at most. */
  readonly patience: number
}

/** One caller's places. Callers without any are not kept. */
interface Share {
  /** Undefined for the server itself, which has no limit of its own. */
  readonly caller: string | undefined
  readonly most: number
  readonly isAnonymous: boolean
  running: number
  readonly waiting: Place[]
}

/** Why somebody gets no place: too many of their own requests, or too many of everybody's. */
export type Shortage = 'of the caller' | 'of all'

/** A place that somebody has, waits for, or had. */
class Place {
  readonly share: Share
  /** Called once the place is there. */
  readonly begin: (place: Place) => void
  readonly refuse: (shortage: Shortage) => void
  /** When its patience is at an end, by the clock of `performance`. */
  readonly until: number
  state: 'waiting' | 'running' | 'over' = 'waiting'

  constructor(share: Share, begin: Place['begin'], refuse: Place['refuse'], until: number) {
    this.share = share
    this.begin = begin
    this.refuse = refuse
    this.until = until
  }
}
export type { Place }

/**
 * Places that no caller can take all of: connections to the database, git processes. A caller has a bounded number of
 * them. Those who wait get a free place in turn, one for each caller, and in their order within a caller's own.
 */
export class Shares {
  readonly #limits: Required<ShareLimits>
  readonly #shares = new Map<string | undefined, Share>()
  /** Those of whom somebody waits; whose turn it is comes first. */
  readonly #turns = new Set<Share>()
  #running = 0
  #anonymous = 0
  #waiting = 0
  #sweep: NodeJS.Timeout | undefined

  constructor(limits: ShareLimits) {
    const unlimited = { atOnce: Infinity, anonymous: Infinity, waitingInAll: Infinity }
    this.#limits = { ...unlimited, eachAnonymous: limits.each, ...limits }
  }

  /** How many places are taken. */
  get running(): number {
    return this.#running
  }

  /** How many requests wait for a place. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Asks for a place. Whoever has got one gives it back with {@link leave}, and whoever waits may leave as well.
   * @param caller undefined for the server itself.
   * @param begin called with the place, maybe at once.
   * @param refuse called instead when too many wait, or this one has waited too long.
   */
  ask(caller: string | undefined, begin: Place['begin'], refuse: Place['refuse']): Place {
    const share = this.#shareOf(caller)
    const { waiting, waitingInAll, patience } = this.#limits
    const place = new Place(share, begin, refuse, performance.now() + patience)
    if (share.waiting.length === 0 && this.#hasRoomFor(share)) this.#begin(place)
    else if (share.waiting.length >= waiting) this.#refuse(place, 'of the caller')
    else if (this.#waiting >= waitingInAll) this.#refuse(place, 'of all')
    else {
      share.waiting.push(place)
      this.#turns.add(share)
      this.#waiting += 1
      if (this.#sweep === undefined) this.#lookLater()
    }
    return place
  }

  /** Gives a place back, or waits for it no longer. It may be called again. */
  leave(place: Place): void {
    const { share, state } = place
    if (state === 'over') return
    place.state = 'over'
    if (state === 'waiting') {
      share.waiting.splice(share.waiting.indexOf(place), 1)
      this.#waiting -= 1
      if (share.waiting.length === 0) this.#turns.delete(share)
    } else {
      this.#running -= 1
      share.running -= 1
      if (share.isAnonymous) this.#anonymous -= 1
      this.#callNext()
    }
    this.#forgetIfUnused(share)
  }

  #shareOf(caller: string | undefined): Share {
    let share = this.#shares.get(caller)
    if (share === undefined) {
      const { each, eachAnonymous } = this.#limits
      const isStranger = caller !== undefined && isAnonymous(caller)
      const most = caller === undefined ? Infinity : isStranger ? eachAnonymous : each
      share = { caller, most, isAnonymous: isStranger, running: 0, waiting: [] }
      this.#shares.set(caller, share)
    }
    return share
  }

  #hasRoomFor({ running, most, isAnonymous }: Share): boolean {
    if (running >= most || this.#running >= this.#limits.atOnce) return false
    return !isAnonymous || this.#anonymous < this.#limits.anonymous
  }

  #begin(place: Place): void {
    place.state = 'running'
    this.#running += 1
    place.share.running += 1
    if (place.share.isAnonymous) this.#anonymous += 1
    place.begin(place)
  }

  /** One place is free, so one of those who wait may begin: the first whose caller has room, who goes to the end. */
  #callNext(): void {
    for (const share of this.#turns) {
      if (!this.#hasRoomFor(share)) continue
      const place = share.waiting.shift()
      this.#turns.delete(share)
      if (share.waiting.length > 0) this.#turns.add(share)
      if (place === undefined) continue
      this.#waiting -= 1
      this.#begin(place)
      return
    }
  }

  #refuse(place: Place, shortage: Shortage): void {
    place.state = 'over'
    this.#forgetIfUnused(place.share)
    place.refuse(shortage)
  }

  /** One timer looks after all that wait, so they are refused up to a quarter late. */
  #lookLater(): void {
    this.#sweep = setTimeout(() => this.#refuseLate(), this.#limits.patience / 4).unref()
  }

  #refuseLate(): void {
    this.#sweep = undefined
    const now = performance.now()
    for (const share of this.#turns) {
      const { waiting, running, most } = share
      const inTime = waiting.findIndex(({ until }) => until > now)
      const late = waiting.splice(0, inTime < 0 ? waiting.length : inTime)
      if (waiting.length === 0) this.#turns.delete(share)
      this.#waiting -= late.length
      for (const place of late) this.#refuse(place, running >= most ? 'of the caller' : 'of all')
    }
    if (this.#waiting > 0) this.#lookLater()
  }

  #forgetIfUnused(share: Share): void {
    if (share.running === 0 && share.waiting.length === 0) this.#shares.delete(share.caller)
  }
}
