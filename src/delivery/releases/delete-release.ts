import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { iso } from '#platform/http/time.ts'
import type { ReleaseRow } from './entity.ts'

/** Deletes a release; its tag stays. @param known locked by `lockRelease`, for deletion */
export async function deleteRelease(tx: Tx, namespace: number, known: ReleaseRow): Promise<void> {
  await tx.db.deleteFrom('releases').where('id', '=', known.id).execute()
  const { id, tag, name, description, sha } = known
  record(tx, {
    name: 'release deleted',
    namespace,
    target: { type: 'Release', id },
    details: {
      tag,
      name,
      description: description?.slice(0, 10_000) ?? null,
      sha,
      created_at: iso(known.created_at),
      released_at: iso(known.released_at),
      links: known.links
        .slice(0, 100)
        .map((link) => ({ id: link.id, name: link.name, url: link.url, link_type: link.link_type })),
    },
  })
}
