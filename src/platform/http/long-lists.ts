import type { PagedRequest } from './order.ts'

/** Milliseconds after which a list is counted again. */
const COUNTED_AGAIN = 60_000
const MAX_LISTS = 5_000

/**
 * The lists that had more rows than totals show when they were counted last, each as its caller filters it. Counting ten
 * thousand rows costs more than a page of twenty, and a total that is left out cannot be wrong: so they are not counted for a
 * minute. A list that becomes shorter meanwhile shows its total that much later.
 */
export class LongLists {
  readonly #until = new Map<string, number>()

  isLong(request: PagedRequest): boolean {
    const key = keyOf(request)
    const until = this.#until.get(key)
    if (until === undefined || until > performance.now()) return until !== undefined
    this.#until.delete(key)
    return false
  }

  /** Notes that a list was counted, and found to be long. */
  note(request: PagedRequest): void {
    const key = keyOf(request)
    if (this.#until.has(key)) return
    const [oldest] = this.#until.keys()
    if (oldest !== undefined && this.#until.size >= MAX_LISTS) this.#until.delete(oldest)
    this.#until.set(key, performance.now() + COUNTED_AGAIN)
  }
}

/** The caller, the path, and all parameters but those that choose a page. */
function keyOf({ viewer, raw, query }: PagedRequest): string {
  const [path] = (raw.url ?? '').split('?', 1)
  const filter = { ...query, page: 0, per_page: 0, order_by: '', sort: '' }
  return `${viewer.id} ${viewer.admin} ${path} ${JSON.stringify(filter)}`
}
