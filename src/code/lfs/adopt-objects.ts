import { sql } from 'kysely'
import { transact, type TransactionSource, type WrittenBy } from '#platform/db/transaction.ts'

/** Projects that are looked at for each object. Those who upload the same bytes elsewhere must not make this long. */
const MOST_HOLDERS = 100

/**
 * Gives a project the objects that its merge requests bring from its forks, unless they were closed: their commits are here or will be,
 * and whoever reads them needs the objects. They stay counted where they were uploaded. One statement, and none where nothing is missing.
 * @param oids that the project does not have, in hexadecimal
 * @returns whether there were any
 */
export async function adoptObjects(
  source: TransactionSource,
  by: WrittenBy,
  projectId: number,
  oids: readonly string[],
): Promise<boolean> {
  if (oids.length === 0) return false
  const digests = oids.map((oid) => Buffer.from(oid, 'hex'))
  const found = await sql<{ file_id: string; size: number }>`
    select f.id as file_id, f.size
    from unnest(${digests}::bytea[]) as wanted (sha256)
      join files f on f.sha256 = wanted.sha256
    where exists (
      select 1 from (select project_id from lfs_objects where file_id = f.id limit ${MOST_HOLDERS}) as holder
        join project_forks fork on fork.project_id = holder.project_id and fork.source_id = ${projectId}
      where exists (select 1 from merge_requests m
        where m.source_project_id = holder.project_id and m.project_id = ${projectId}
          and m.state in ('opened', 'merged')))`.execute(source.db)
  if (found.rows.length === 0) return false
  await transact(source, by, async (tx) => {
    await tx.db
      .insertInto('lfs_objects')
      .columns(['project_id', 'file_id', 'size', 'inherited', 'created_at'])
      .expression(
        sql`select p.id, given.file_id, given.size, true, ${tx.now}::timestamptz
          from unnest(${found.rows.map(({ file_id }) => file_id)}::text[], ${found.rows.map(({ size }) => size)}::bigint[])
            as given (file_id, size)
          cross join (select id from projects where id = ${projectId} for key share) as p`,
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  return true
}
