import type { RawBuilder } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { servedColumns, servedFiles } from '../../packages/served-files.ts'
import type { MavenFile } from './paths.ts'

/** The newest file of a name in a place, with its digests. */
export const newestFile = (
  db: Db,
  place: RawBuilder<boolean>,
  { name, version, fileName }: Omit<MavenFile, 'checksum'>,
) =>
  servedFiles(db, 'maven', place)
    .select([...servedColumns, 'f.md5', 'f.sha1', 'f.sha256', 'f.sha512'])
    .where('k.name', '=', name)
    .where('k.version', 'is not distinct from', version)
    .where('f.file_name', '=', fileName)
    .orderBy('f.id', 'desc')
    .limit(1)
    .executeTakeFirst()
