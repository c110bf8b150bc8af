import type { Repositories } from '#code/repositories/repositories.ts'
import { groupsClosedTo } from '#platform/access/address-rules.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { dayOf } from '#platform/http/time.ts'
import type { Source } from './tell-issues.ts'

/** Who has pushed, as they may see things now. Undefined for somebody who is blocked meanwhile. */
export async function viewerOf(
  { source: { db, clock } }: Repositories,
  id: number,
  ip: string | null,
): Promise<Viewer | undefined> {
  const user = await db
    .selectFrom('users')
    .select(['admin', 'external'])
    .where('id', '=', id)
    .where('state', '=', 'active')
    .executeTakeFirst()
  return user && { id, ...user, today: dayOf(clock.now()), closed: await groupsClosedTo(db, ip) }
}

/** The project of the commits. */
export function sourceOf(db: Db, projectId: number): Promise<Source | undefined> {
  return db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .leftJoin('project_forks as f', 'f.project_id', 'p.id')
    .leftJoin('projects as origin', 'origin.id', 'f.source_id')
    .select([
      'p.id',
      'n.id as namespace_id',
      'n.traversal_ids',
      'n.full_path',
      'origin.project_namespace_id as forked_from',
    ])
    .where('p.id', '=', projectId)
    .executeTakeFirst()
}
