import { sql } from 'kysely'
import type { StoredFile } from '#platform/files/files.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** What a project has of some objects: their files, by oid. One statement. @param oids in hexadecimal */
export async function objectsOf(
  db: Db,
  projectId: number,
  oids: readonly string[],
): Promise<Map<string, StoredFile>> {
  const digests = oids.map((oid) => Buffer.from(oid, 'hex'))
  const { rows } = await sql<StoredFile>`
    select f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"
    from unnest(${digests}::bytea[]) as wanted (sha256)
      join files f on f.sha256 = wanted.sha256
      join lfs_objects o on o.file_id = f.id and o.project_id = ${projectId}`.execute(db)
  return new Map(rows.map((file) => [file.sha256, file]))
}

/** Bytes that the objects of a project take, without those that another project of the same forks counts already. */
export async function lfsSizeOf(db: Db | Tx['db'], projectId: number): Promise<number> {
  const found = await db
    .selectFrom('lfs_sizes')
    .select('size')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return found?.size ?? 0
}
