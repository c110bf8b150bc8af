import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { isNamed, type UploadName } from './queries.ts'

/** The clean-up of the file store removes the bytes that nobody else has. @throws 404 `Upload Not Found` */
export async function deleteUpload(
  tx: Tx,
  { namespace_id }: { readonly namespace_id: number },
  named: UploadName,
): Promise<void> {
  const { rows } = await sql<{ id: number; filename: string }>`
    delete from uploads u where ${isNamed(namespace_id, named)} returning u.id, u.filename`.execute(tx.db)
  const { id, filename } = orNotFound(rows[0], 'Upload')
  record(tx, {
    name: 'upload deleted',
    namespace: namespace_id,
    target: { type: 'Upload', id },
    details: { file: filename },
  })
}
