import { sql } from 'kysely'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { onBehalfOfNobody } from '#platform/shares/caller.ts'

const FLUSH_EVERY = 2_000

/**
 * Counts what is served, without a write in any request. A killed process loses the uses of its last seconds.
 */
export class Usage {
  readonly #source: TransactionSource
  readonly #onFailure: (error: unknown) => void
  readonly #used = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(source: TransactionSource, onFailure: (error: unknown) => void) {
    this.#source = source
    this.#onFailure = onFailure
  }

  /** @param downloads 0 when something is still being served. */
  note(entryId: number, downloads = 1): void {
    this.#used.set(entryId, (this.#used.get(entryId) ?? 0) + downloads)
    this.#timer ??= onBehalfOfNobody(() => setTimeout(() => void this.flush(), FLUSH_EVERY).unref())
  }

  /** Writes what was counted. Call it before the database closes. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(this.#onFailure)
    return this.#writing
  }

  async #write(): Promise<void> {
    const used = [...this.#used].toSorted(([one], [other]) => one - other)
    this.#used.clear()
    if (used.length === 0) return
    const [ids, counts] = [used.map(([id]) => id), used.map(([, count]) => count)]
    await transact(this.#source, { author: null, ip: null }, async (tx) => {
      await sql`
        select 1 from container_cache_entries where id = any(${ids}::bigint[]) order by id for no key update`.execute(
        tx.db,
      )
      await sql`
        update container_cache_entries e
        set downloads_count = e.downloads_count + u.count, downloaded_at = greatest(e.downloaded_at, ${tx.now})
        from unnest(${ids}::bigint[], ${counts}::bigint[]) as u (id, count) where e.id = u.id`.execute(tx.db)
    })
  }
}
