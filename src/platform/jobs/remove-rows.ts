import { type RawBuilder, sql } from 'kysely'
import { type ForeignKey, type ForeignKeys, isPart, readForeignKeys } from '#platform/db/foreign-keys.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Lease } from './lease.ts'
import type { JobContext } from './task.ts'

/** Rows in a transaction. It takes a fraction of a second, so that others do not wait long for its locks. */
const ROWS_PER_TRANSACTION = 2_000

/** Rows between two lines in the log. */
const PROGRESS = 50_000

/**
 * Removes rows with everything that depends on them, however much that is. What the foreign keys would delete in one
 * statement is deleted in batches, from the leaves up, each in its own transaction. An interrupted run leaves less to
 * do for the next one.
 *
 * The rows should be invisible already, because their dependants are deleted first. Dependants that are added
 * meanwhile are deleted, too.
 */
export class RowRemover {
  readonly #job: JobContext
  readonly #lease: Lease
  readonly #keys: ForeignKeys
  #removed = 0

  private constructor(job: JobContext, lease: Lease, keys: ForeignKeys) {
    this.#job = job
    this.#lease = lease
    this.#keys = keys
  }

  /** @param lease keeps others from removing the same rows. A batch is written only while it is held. */
  static async open(job: JobContext, lease: Lease): Promise<RowRemover> {
    return new RowRemover(job, lease, await readForeignKeys(job.db))
  }

  /** How many rows were removed so far. */
  get removed(): number {
    return this.#removed
  }

  /** The columns that refer to a table and whose rows stay: deletion clears them, or they make it fail. */
  lastingReferences(table: string): readonly ForeignKey[] {
    return this.#keys.to(table).filter(({ onDelete }) => onDelete !== 'cascade')
  }

  /**
   * Removes all rows that `choose` finds.
   * @param choose a query for the `id` of some that are left, at most this many.
   */
  async removeAll(table: string, choose: (limit: number) => RawBuilder<{ id: number }>): Promise<void> {
    // What a row is a part of goes with it, and so does everything that refers to that.
    await this.#removeChosen(this.#keys.wholeOf(table), choose)
  }

  /** Removes all rows that refer to one of these. */
  async removeReferring(key: ForeignKey, ids: readonly number[]): Promise<void> {
    const { table, column } = key
    // On the way down from the whole, its part is removed as it is.
    const whole = isPart(key) ? table : this.#keys.wholeOf(table)
    await this.#removeChosen(
      whole,
      (limit) => sql<{ id: number }>`
        select id from ${sql.table(table)} where ${sql.ref(column)} = any(${ids}::bigint[]) limit ${limit}`,
    )
  }

  async #removeChosen(table: string, choose: (limit: number) => RawBuilder<{ id: number }>): Promise<void> {
    let ids: readonly number[]
    do {
      ids = await this.#choose(choose(ROWS_PER_TRANSACTION))
      if (ids.length > 0) await this.#remove(table, ids)
    } while (ids.length === ROWS_PER_TRANSACTION)
  }

  /** Makes all rows that refer to `from` refer to `to`, or to nothing. */
  async redirect(key: ForeignKey, from: number, to: number | null): Promise<void> {
    await this.inBatches((tx, limit) => redirectSome(tx, key, { from: [from], to, limit }))
  }

  /**
   * Changes many rows in another way, one batch per transaction, until there is nothing left to do.
   * @param work returns how many rows it changed.
   */
  async inBatches(work: (tx: Tx, limit: number) => Promise<number>): Promise<void> {
    while ((await this.#batch((tx) => work(tx, ROWS_PER_TRANSACTION))) > 0);
  }

  async #remove(table: string, ids: readonly number[]): Promise<void> {
    const keys = this.#keys.to(table).filter(({ onDelete }) => onDelete !== 'refuse')
    const isLeaf = (key: ForeignKey) => key.onDelete === 'set null' || this.#keys.to(key.table).length === 0
    const inner = keys.filter((key) => !isLeaf(key))
    for (const key of await this.#thatRefer(inner, ids)) await this.removeReferring(key, ids)
    while (!(await this.#removeWithLeaves(table, ids, keys.filter(isLeaf))));
  }

  /** Those of some columns that refer to one of these rows: most never do, and one question is enough for all. */
  async #thatRefer(keys: readonly ForeignKey[], ids: readonly number[]): Promise<readonly ForeignKey[]> {
    if (keys.length === 0) return []
    const refers = keys.map(
      ({ table, column }) =>
        sql`exists (select from ${sql.table(table)} where ${sql.ref(column)} = any(${ids}::bigint[]))`,
    )
    this.#lease.signal.throwIfAborted()
    return this.#job.transact(async (tx) => {
      await useIndexes(tx)
      const { rows } = await sql<{ refer: boolean[] }>`select array[${sql.join(refers)}] as refer`.execute(
        tx.db,
      )
      const refer = rows[0]?.refer ?? []
      return keys.filter((_, index) => refer[index])
    })
  }

  /** @returns whether the rows themselves are gone; otherwise they may have more leaves. */
  async #removeWithLeaves(
    table: string,
    ids: readonly number[],
    keys: readonly ForeignKey[],
  ): Promise<boolean> {
    let ended = false
    await this.#batch(async (tx) => {
      await lockRows(tx, table, ids)
      const leaves = await removeSome(tx, keys, ids)
      ended = leaves < ROWS_PER_TRANSACTION
      return ended ? leaves + (await deleteRows(tx, table, ids)) : leaves
    })
    return ended
  }

  async #choose(query: RawBuilder<{ id: number }>): Promise<readonly number[]> {
    this.#lease.signal.throwIfAborted()
    return this.#job.transact(async (tx) => {
      await useIndexes(tx)
      const { rows } = await query.execute(tx.db)
      return rows.map(({ id }) => id)
    })
  }

  async #batch(work: (tx: Tx) => Promise<number>): Promise<number> {
    this.#lease.signal.throwIfAborted()
    const rows = await this.#job.transact(async (tx) => {
      await this.#lease.guard(tx)
      await useIndexes(tx)
      return work(tx)
    })
    const before = this.#removed
    this.#removed += rows
    if (Math.floor(this.#removed / PROGRESS) > Math.floor(before / PROGRESS)) {
      this.#job.log.info({ rows: this.#removed }, 'removing what was deleted')
    }
    return rows
  }
}

/**
 * A batch is small compared to its table, but the planner may expect to delete most of the table, and then reads all
 * of it for each batch.
 */
async function useIndexes({ db }: Tx): Promise<void> {
  await sql`select set_config('enable_seqscan', 'off', true)`.execute(db)
}

/** Locks in the order in which all code locks several rows. */
async function lockRows({ db }: Tx, table: string, ids: readonly number[]): Promise<void> {
  await sql`
    select 1 from ${sql.table(table)} where id = any(${ids}::bigint[]) order by id for update`.execute(db)
}

async function deleteRows({ db }: Tx, table: string, ids: readonly number[]): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where id = any(${ids}::bigint[])`.execute(db)
  return Number(numAffectedRows)
}

/** Removes or clears what refers to these rows, one key after the other, at most a batch. @returns how much. */
async function removeSome(tx: Tx, keys: readonly ForeignKey[], ids: readonly number[]): Promise<number> {
  let done = 0
  for (const key of keys) {
    const limit = ROWS_PER_TRANSACTION - done
    if (limit === 0) break
    done +=
      key.onDelete === 'cascade'
        ? await deleteReferring(tx, key, { from: ids, limit })
        : await redirectSome(tx, key, { from: ids, to: null, limit })
  }
  return done
}

interface Referring {
  readonly from: readonly number[]
  readonly limit: number
}

async function deleteReferring({ db }: Tx, key: ForeignKey, some: Referring): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with ${locked(key, some)}
    delete from ${sql.table(key.table)} t using locked where ${isLocked(key)}`.execute(db)
  return Number(numAffectedRows)
}

async function redirectSome(
  { db }: Tx,
  key: ForeignKey,
  { to, ...some }: Referring & { readonly to: number | null },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with ${locked(key, some)}
    update ${sql.table(key.table)} t set ${sql.ref(key.column)} = ${to}::bigint from locked where ${isLocked(key)}`.execute(
    db,
  )
  return Number(numAffectedRows)
}

/** Some of the rows that refer to these, locked in the order of their primary key. */
function locked({ table, column, primaryKey }: ForeignKey, { from, limit }: Referring): RawBuilder<unknown> {
  const columns = sql.join(primaryKey.map((name) => sql.ref(name)))
  const refers = sql`${sql.ref(column)} = any(${from}::bigint[])`
  return sql`
    chosen as materialized (select ${columns} from ${sql.table(table)} where ${refers} limit ${limit}),
    locked as materialized (
      select ${columns} from ${sql.table(table)} where (${columns}) in (select ${columns} from chosen) and ${refers}
        order by ${columns} for update)`
}

function isLocked({ primaryKey }: ForeignKey): RawBuilder<boolean> {
  const same = primaryKey.map((name) => sql`t.${sql.ref(name)} = locked.${sql.ref(name)}`)
  return sql<boolean>`${sql.join(same, sql` and `)}`
}
