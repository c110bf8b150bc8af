import { sql } from 'kysely'
import { seesUsers } from '#identity/users/policy.ts'
import { groupVisibleTo } from '#platform/access/visible.ts'
import type { Reference } from '#planning/references/kinds.ts'
import type { MarkupReader } from './reader.ts'
import type { Target } from './target.ts'

/** The most different names that are looked up for one page of texts. */
const MAX_MENTIONS = 500
/** The same for anonymous callers, who should not collect the accounts of an instance. */
const MAX_FOR_STRANGERS = 50

/** Users who are there, and groups as far as the viewer may see them. */
export async function resolvePeople(
  { services, viewer }: MarkupReader,
  references: readonly Reference[],
): Promise<(readonly [Reference, Target])[]> {
  if (!seesUsers(viewer, services.settings())) return []
  const mentions = references.filter((one) => one.kind === 'mention')
  const most = viewer.id === null ? MAX_FOR_STRANGERS : MAX_MENTIONS
  const paths = [...new Set(mentions.map(({ path }) => path.toLowerCase()))].slice(0, most)
  if (paths.length === 0) return []
  const rows = await services.db
    .selectFrom('namespaces as n')
    .leftJoin('users as u', 'u.id', 'n.owner_id')
    .select(['n.kind', 'n.full_path', 'n.name', 'u.name as user_name'])
    .where(sql<boolean>`lower(n.full_path) = any(${paths}::text[])`)
    .where('n.deleted_at', 'is', null)
    .where(
      sql<boolean>`((n.kind = 'user' and u.id is not null) or (n.kind = 'group' and ${groupVisibleTo('n', viewer)}))`,
    )
    .execute()
  const found = new Map(
    rows.map(({ kind, full_path, name, user_name }) => [
      full_path.toLowerCase(),
      {
        page: kind === 'group' ? `groups/${full_path}` : full_path,
        title: user_name ?? name,
        reference: null,
      },
    ]),
  )
  return mentions.flatMap((mention) => {
    const target = found.get(mention.path.toLowerCase())
    return target === undefined ? [] : [[mention, target] as const]
  })
}
