import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

interface Copied {
  /** Whose description and notes name the uploads. */
  readonly issueId: number
  /** The namespaces of the projects. */
  readonly from: number
  readonly to: number
}

/**
 * Gives a project the uploads of another one that an issue names. They keep their secrets, so its texts need no change. The bytes are
 * there once, so room is not asked for.
 */
export async function copyUploads(tx: Tx, { issueId, from, to }: Copied): Promise<void> {
  if (from === to) return
  await sql`
    insert into uploads (namespace_id, secret, filename, file_id, size, uploaded_by_id, created_at)
    select ${to}::bigint, u.secret, u.filename, u.file_id, u.size, u.uploaded_by_id, u.created_at
    from uploads u where u.namespace_id = ${from} and u.secret in (
      select decode(named[1], 'hex')
      from (select description as text from issues where id = ${issueId} and description like '%/uploads/%'
          union all select body from notes where noteable_id = ${issueId} and body like '%/uploads/%') one,
        regexp_matches(one.text, '/uploads/([0-9a-f]{32})/', 'g') named)
    order by u.id
    on conflict on constraint uploads_key do nothing`.execute(tx.db)
}
