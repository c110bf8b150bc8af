import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { iso } from '#platform/http/time.ts'
import type { ReleaseRow } from './entity.ts'

/** Links of a deleted release, and characters of its description, that readers of the fact still see. */
const KEPT = { links: 100, description: 10_000 }

/** What readers of the fact see. */
type Deleted = Pick<
  ReleaseRow,
  'id' | 'tag' | 'name' | 'description' | 'sha' | 'created_at' | 'released_at' | 'links'
>

/** Deletes releases of one project; their tags stay. @param known locked for deletion */
export async function deleteReleases(tx: Tx, namespace: number, known: readonly ReleaseRow[]): Promise<void> {
  if (known.length === 0) return
  const ids = known.map(({ id }) => id)
  await tx.db.deleteFrom('releases').where(isAnyOf('id', ids)).execute()
  record(tx, ...known.map((release) => deleted(namespace, release)))
}

function deleted(namespace: number, release: Deleted) {
  const { id, tag, name, description, sha, created_at, released_at, links } = release
  return {
    name: 'release deleted',
    namespace,
    target: { type: 'Release', id },
    details: {
      tag,
      name,
      description: description?.slice(0, KEPT.description) ?? null,
      sha,
      created_at: iso(created_at),
      released_at: iso(released_at),
      links: links
        .slice(0, KEPT.links)
        .map((link) => ({ id: link.id, name: link.name, url: link.url, link_type: link.link_type })),
    },
  } as const
}
