import { sql } from 'kysely'
import type { StoredFile } from '#platform/files/files.ts'
import type { Db } from '#platform/db/pool.ts'
import { MOST_UPLOADS } from './room.ts'

/** The files of all uploads of a project, each once. */
export async function uploadedFilesOf(db: Db, namespaceId: number): Promise<StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"
    from files f
    where f.id in (select u.file_id from uploads u where u.namespace_id = ${namespaceId})
    order by f.sha256 limit ${MOST_UPLOADS}`.execute(db)
  return rows
}
