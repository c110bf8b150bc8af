import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import { decidingOnce } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { AssociationsCount } from './entity.ts'
import { associationCounts, type UserCount, userCounts } from './extension-points.ts'

type Counts = Record<UserCount['field'], number>

const cache = new StatementCache({ name: 'counts for a user', max: 8, plan: 'generic' })

/** How much waits for a user, as far as features count it. */
export async function countForUser(db: Db, viewer: Viewer & { readonly id: number }): Promise<Counts> {
  const { id } = viewer
  const of = (field: UserCount['field']) => {
    const counts = userCounts.entries.filter((count) => count.field === field)
    return decidingOnce(viewer, (once) => sumOf(counts.map((count) => count.column(db, { ...once, id }))))
  }
  const query = db.selectNoFrom([
    of('assigned_issues').as('assigned_issues'),
    of('assigned_merge_requests').as('assigned_merge_requests'),
    of('review_requested_merge_requests').as('review_requested_merge_requests'),
    of('todos').as('todos'),
  ])
  return onlyOne(await cache.run(db, query))
}

/** How much belongs to a user; of what they wrote, only what the viewer may see counts. */
export function countAssociations(
  db: Db,
  userId: number,
  viewer: Viewer,
): Promise<Static<typeof AssociationsCount>> {
  const written = (field: 'issues_count' | 'merge_requests_count') =>
    sumOf(
      associationCounts.entries
        .filter((count) => count.field === field)
        .map((count) => count.column(db, viewer, userId)),
    )
  return db
    .selectFrom('members as m')
    .innerJoin('namespaces as n', 'n.id', 'm.namespace_id')
    .select([
      sql<number>`count(*) filter (where n.kind = 'group')`.as('groups_count'),
      sql<number>`count(*) filter (where n.kind = 'project')`.as('projects_count'),
      written('issues_count').as('issues_count'),
      written('merge_requests_count').as('merge_requests_count'),
    ])
    .where('m.user_id', '=', userId)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
}

const sumOf = (columns: readonly RawBuilder<number>[]): RawBuilder<number> =>
  sql<number>`(${sql.join([sql.lit(0), ...columns], sql` + `)})`
