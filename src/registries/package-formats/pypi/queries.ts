import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { servedColumns, servedFiles } from '../../packages/served-files.ts'

/** Rows of an index: package managers want all of it, and there are no pages. */
const MOST = 10_000

/** A file as indexes list it. */
export interface IndexedFile {
  readonly file_name: string
  readonly sha256: Buffer
  readonly size: number
  readonly created_at: string
  readonly version: string | null
  readonly requires_python: string | null
}

/** The names of the packages in a place, in order. */
export async function packageNames(db: Db, place: RawBuilder<boolean>): Promise<string[]> {
  const rows = await servedFiles(db, 'pypi', place)
    .select('k.name')
    .distinct()
    .orderBy('k.name')
    .limit(MOST)
    .execute()
  return rows.map(({ name }) => name)
}

/** The newest files of a package in a place, the newest last. Of several projects that have a file, the last one counts. */
export async function indexedFiles(
  db: Db,
  place: RawBuilder<boolean>,
  name: string,
): Promise<readonly IndexedFile[]> {
  const rows = await servedFiles(db, 'pypi', place)
    .select(['f.file_name', 'f.sha256', 'f.size', 'f.created_at', 'k.version'])
    .select(sql<string | null>`k.metadata ->> 'requires_python'`.as('requires_python'))
    .where('k.name', '=', name)
    .orderBy('f.id', 'desc')
    .limit(MOST)
    .execute()
  return [...new Map(rows.toReversed().map((row) => [row.file_name, row])).values()]
}

/** A file by its name and digest. */
export const fileByDigest = (
  db: Db,
  place: RawBuilder<boolean>,
  { sha256, fileName }: { readonly sha256: string; readonly fileName: string },
) =>
  servedFiles(db, 'pypi', place)
    .select(servedColumns)
    .where('f.file_name', '=', fileName)
    .where('f.sha256', '=', Buffer.from(sha256, 'hex'))
    .orderBy('f.id', 'desc')
    .limit(1)
    .executeTakeFirst()
