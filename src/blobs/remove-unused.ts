import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#db/pool.ts'
import { defineTask } from '#jobs/task.ts'

/** Milliseconds that a file may wait for the transaction that points to it. */
const PATIENCE = 24 * 60 * 60 * 1000
const BATCH = 500

/** Removes the files that no row names: replaced ones, and those whose transaction came to nothing. */
export const removeUnusedBlobs = defineTask(
  'blobs/remove-unused',
  'long',
  Type.Object({}),
  async (_, job) => {
    const until = job.clock.now().getTime() - PATIENCE
    const columns = await keyColumns(job.db)
    let batch: string[] = []
    const sweep = async () => {
      for (const key of await unusedAmong(job.db, columns, batch)) await job.blobs.delete(key)
      batch = []
    }
    for await (const { key, storedAt } of job.blobs.list()) {
      if (storedAt.getTime() > until) continue
      batch.push(key)
      if (batch.length === BATCH) await sweep()
      if (job.signal.aborted) return
    }
    await sweep()
  },
)

interface Column {
  readonly table: string
  readonly column: string
}

/** All columns of the type `blob_key`, so that no table can be forgotten. */
async function keyColumns(db: Db): Promise<readonly Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where t.typname = 'blob_key' and t.typnamespace = 'public'::regnamespace
      and c.relkind = 'r' and not a.attisdropped`.execute(db)
  return rows
}

async function unusedAmong(db: Db, columns: readonly Column[], keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const unused = columns.map(
    ({ table, column }) =>
      sql`not exists (select 1 from ${sql.table(table)} where ${sql.ref(column)} = stored.key)`,
  )
  const { rows } = await sql<{ key: string }>`
    select stored.key from unnest(${[...keys]}::text[]) as stored (key)
    where ${sql.join(unused, sql` and `)}`.execute(db)
  return rows.map(({ key }) => key)
}
