import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { notFound } from '#platform/refusals.ts'
import type { UploadRow } from './entity.ts'

/** The last one first. */
export const uploadOrder: ListOrder = {
  of: 'Upload',
  id: 'u.id',
  columns: { created_at: { column: 'u.created_at' } },
  by: 'created_at',
  sort: 'desc',
}

/** The uploads of a project or group. */
export const uploadsOf = (db: Db | Tx['db'], namespaceId: number) =>
  db
    .selectFrom('uploads as u')
    .leftJoin('users as a', 'a.id', 'u.uploaded_by_id')
    .select(['u.id', 'u.filename', 'u.file_id', 'u.size', 'u.created_at'])
    .select([
      sql<string>`encode(u.secret, 'hex')`.as('secret'),
      sql<UploadRow['uploaded_by']>`case when a.id is not null then
        json_build_object('id', a.id, 'name', a.name, 'username', a.username) end`.as('uploaded_by'),
    ])
    .where('u.namespace_id', '=', namespaceId)

/** How a request names an upload. */
export type UploadName =
  | { readonly upload_id: number }
  | { readonly secret: string; readonly filename: string }

const SECRET = /^[0-9a-f]{32}$/

/** The rows of a project or group that a request names: one or none. `u` is the alias of the uploads. */
export const isNamed = (namespaceId: number, named: UploadName) => {
  const own = sql<boolean>`u.namespace_id = ${namespaceId}`
  if ('upload_id' in named) return sql<boolean>`${own} and u.id = ${named.upload_id}`
  const { secret, filename } = named
  if (!SECRET.test(secret)) throw uploadNotFound()
  return sql<boolean>`${own} and u.secret = ${Buffer.from(secret, 'hex')} and u.filename = ${filename}`
}

/** @throws 404 `Upload Not Found` */
export const findUpload = (db: Db, namespaceId: number, named: UploadName): Promise<UploadRow> =>
  uploadsOf(db, namespaceId).where(isNamed(namespaceId, named)).executeTakeFirstOrThrow(uploadNotFound)

export const uploadNotFound = () => notFound('Upload')
