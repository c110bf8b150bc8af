import { sql } from 'kysely'
import { Type } from 'typebox'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import type { Db } from '#platform/db/pool.ts'
import { transact, type TransactionSource, type Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { readSettings } from '#platform/settings/settings.ts'

/** Rows in a transaction. */
const ROWS_PER_TRANSACTION = 20
/** What was served this lately stays, whatever the limit: what is being served counts as used every few minutes. */
const IN_USE = '15 minutes'
const MEGABYTE = 1024 * 1024
/** Milliseconds after which the bytes of what was removed may go: a little more than a trigger of the database keeps them. */
const CLEAN_UP_AFTER = 6 * 60_000

/** The same where there is no room for what somebody wants now; last of all, what is in use goes, too. */
const NOW = '0 seconds'

/**
 * Removes what was not used for as long as a setting says, and then what was not used for longest until the rest keeps to
 * the limit. The clean-up of files removes the bytes of what nothing refers to any more.
 */
export const evictCache = defineTask('virtual-registries/evict-cache', 'long', Type.Object({}), (_, job) =>
  withLease(job, 'evict container caches', async (lease) => {
    const settings = await readSettings(job.db)
    const days = settings.container_virtual_registries_cache_days
    const limit = settings.container_virtual_registries_cache_limit * MEGABYTE
    const guarded: InTransaction = (work) => {
      lease.signal.throwIfAborted()
      return job.transact(async (tx) => {
        await lease.guard(tx)
        return work(tx)
      })
    }
    let removed = 0
    if (days > 0) removed += (await removeWhile(guarded, { age: `${days} days` }, Infinity)).entries
    const excess = limit > 0 ? (await cachedBytes(job.db)) - limit : 0
    if (excess > 0) removed += (await removeWhile(guarded, { age: IN_USE }, excess)).entries
    if (removed === 0) return
    await job.transact(cleanUpSoon)
    job.log.info({ removed }, 'removed cached images that were not used')
  }),
)

/** Has the bytes removed, once nobody can be about to refer to them again. */
export const cleanUpSoon = (tx: Tx): Promise<number> =>
  enqueue(tx, cleanUpFiles, {}, { runAt: new Date(Date.parse(tx.now) + CLEAN_UP_AFTER).toISOString() })

/**
 * Makes room for something of a group: first by what that group keeps beyond the average of all groups, then by what was
 * not used for longest, then by what the group has that keeps most, also if it is in use. So nobody can keep the others
 * from pulling, nor drive out all that they have.
 * @returns how many bytes nothing refers to any more.
 */
export async function makeRoom(source: TransactionSource, group: number, bytes: number): Promise<number> {
  const now: InTransaction = (work) => transact(source, { author: null, ip: null }, work)
  const beyond = Math.min(bytes, await beyondAverage(source.db, group))
  let { bytes: freed } = await removeWhile(now, { age: NOW, group }, beyond)
  freed += (await removeWhile(now, { age: IN_USE }, bytes - freed)).bytes
  while (freed < bytes) {
    const most = await groupThatKeepsMost(source.db)
    if (most === undefined) break
    const removed = await removeWhile(now, { age: NOW, group: most }, bytes - freed)
    if (removed.entries === 0) break
    freed += removed.bytes
  }
  if (freed > 0) await now(cleanUpSoon)
  return freed
}

type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

interface EvictionFilter {
  /** For how long something must be unused. */
  readonly age: string
  /** Only what this group keeps. */
  readonly group?: number
}

interface EvictionCount {
  readonly entries: number
  /** Of files that nothing else is kept of. */
  readonly bytes: number
}

/**
 * Removes what was not used for longest, a batch at a time.
 * @param bytes how many are enough.
 */
async function removeWhile(
  run: InTransaction,
  chosen: EvictionFilter,
  bytes: number,
): Promise<EvictionCount> {
  let removed: EvictionCount = { entries: 0, bytes: 0 }
  while (removed.bytes < bytes) {
    const left = bytes - removed.bytes
    const some = await run((tx) => removeBatch(tx, chosen, left))
    if (some.entries === 0) break
    removed = { entries: removed.entries + some.entries, bytes: removed.bytes + some.bytes }
  }
  return removed
}

/** Removes a few of these that were not used for longest, until so many bytes are enough. */
export async function removeBatch(
  { db, now }: Tx,
  { age, group }: EvictionFilter,
  bytes: number,
): Promise<EvictionCount> {
  const isChosen =
    group === undefined
      ? sql`true`
      : sql`upstream_id in (select id from container_upstreams where group_id = ${group})`
  const { rows: oldest } = await sql<{ id: number; size: number }>`
    select id, size from container_cache_entries
    where downloaded_at <= ${now}::timestamptz - ${age}::interval and ${isChosen}
    order by downloaded_at, id limit ${ROWS_PER_TRANSACTION} for update skip locked`.execute(db)
  const ids: number[] = []
  let sum = 0
  for (const { id, size } of oldest) {
    if (sum >= bytes) break
    ids.push(id)
    sum += size
  }
  const { rows } = await sql<{ file_id: string }>`
    delete from container_cache_entries where id = any(${ids}::bigint[]) returning file_id`.execute(db)
  const files = rows.map(({ file_id }) => file_id)
  const { rows: freed } = await sql<{ bytes: number }>`
    select coalesce(sum(f.size), 0)::bigint as bytes from files f
    where f.id = any(${files}::text[])
      and not exists (select 1 from container_cache_entries e where e.file_id = f.id)`.execute(db)
  return { entries: rows.length, bytes: freed[0]?.bytes ?? 0 }
}

/** How many bytes a group keeps more than the groups that keep something do on average; at least 0. */
async function beyondAverage(db: Db, group: number): Promise<number> {
  const { rows } = await sql<{ beyond: number }>`
    select greatest(0, coalesce(sum(e.size) filter (where u.group_id = ${group}), 0)
      - sum(e.size) / count(distinct u.group_id))::bigint as beyond
    from container_cache_entries e join container_upstreams u on u.id = e.upstream_id
    having count(*) > 0`.execute(db)
  return rows[0]?.beyond ?? 0
}

async function groupThatKeepsMost(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ group_id: number }>`
    select u.group_id from container_cache_entries e join container_upstreams u on u.id = e.upstream_id
    group by u.group_id order by sum(e.size) desc limit 1`.execute(db)
  return rows[0]?.group_id
}

/** The size of all files that are kept, each once. It reads all entries, so ask for it rarely. */
export async function cachedBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from files
    where id in (select file_id from container_cache_entries)`.execute(db)
  return rows[0]?.bytes ?? 0
}
