import { lockParent } from '#identity/namespaces/lock.ts'
import type { Db } from '#platform/db/pool.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { assertBelow } from '../assert-below.ts'
import type { Metadata } from './metadata/certificate.ts'

interface Place {
  readonly id: number
  readonly namespace_id: number
}

interface NewSecureFile {
  readonly name: string
  readonly fileId: string
  readonly checksum: string
  readonly metadata: Metadata | null
}

export const secureFilesOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('secure_files as s')
    .select(['s.id', 's.name', 's.file_id', 's.checksum', 's.metadata', 's.created_at'])
    .where('s.project_id', '=', projectId)

/** Keeps a stored file under a name. @param most of its project; 0 means no limit @returns its id. @throws 400 for a name that is none or taken, and past the maximum */
export async function createSecureFile(
  tx: Tx,
  project: Place,
  { name, fileId, checksum, metadata }: NewSecureFile,
  most: number,
): Promise<number> {
  if (!/^[\w.-]+$/.test(name)) throw invalid({ name: ["can contain only letters, digits, '.', '_' and '-'"] })
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `secure files of ${project.id}`)
  const { count } = await tx.db
    .selectFrom('secure_files')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  assertBelow(most, count, 'secure files')
  const { id } = await tx.db
    .insertInto('secure_files')
    .values({
      project_id: project.id,
      name,
      file_id: fileId,
      checksum,
      metadata: metadata && JSON.stringify(metadata),
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'secure file created',
    namespace: project.namespace_id,
    target: { type: 'SecureFile', id },
    details: { file: name },
  })
  return id
}

/** @throws 404 `Secure File Not Found` */
export async function deleteSecureFile(tx: Tx, project: Place, id: number): Promise<void> {
  const removed = await tx.db
    .deleteFrom('secure_files')
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  if (removed === undefined) throw notFound('Secure File')
  record(tx, {
    name: 'secure file deleted',
    namespace: project.namespace_id,
    target: { type: 'SecureFile', id },
    details: { file: removed.name },
  })
}
