import { sql } from 'kysely'
import { Type } from 'typebox'
import { text } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { safeFileName } from '#planning/uploads/file-name.ts'
import { MOST_UPLOADS } from '#planning/uploads/room.ts'
import { archivedMoment, definePart } from '../part.ts'

/** What people uploaded for the texts of a project, under the secrets that those name. The bytes are files beside it. */
export const uploads = definePart({
  name: 'uploads',
  most: MOST_UPLOADS,
  row: Type.Object({
    secret: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    filename: text({ filled: true }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    created_at: archivedMoment(),
  }),
  async readAfter(db, { namespace_id }, last) {
    const rows = await db
      .selectFrom('uploads as u')
      .innerJoin('files as f', 'f.id', 'u.file_id')
      .select(['u.id', 'u.filename', 'u.created_at'])
      .select([
        sql<string>`encode(u.secret, 'hex')`.as('secret'),
        sql<string>`encode(f.sha256, 'hex')`.as('sha256'),
      ])
      .where('u.namespace_id', '=', namespace_id)
      .where('u.id', '>', last?.id ?? 0)
      .orderBy('u.id')
      .limit(200)
      .execute()
    return rows.map((row) => ({ ...row, created_at: iso(row.created_at) }))
  },
  async write(tx, { namespace_id }, rows, files) {
    const values = rows.flatMap(({ secret, filename, sha256, created_at }) => {
      const file = files.get(sha256)
      // One that came while the archive was made has a row and no bytes.
      if (file === undefined) return []
      return {
        namespace_id,
        secret: Buffer.from(secret, 'hex'),
        filename: safeFileName(filename),
        file_id: file.id,
        size: file.size,
        uploaded_by_id: tx.author?.id ?? null,
        created_at,
      }
    })
    if (values.length === 0) return
    await tx.db
      .insertInto('uploads')
      .values(values)
      .onConflict((conflict) => conflict.constraint('uploads_key').doNothing())
      .execute()
  },
})
