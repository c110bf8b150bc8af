import { sql } from 'kysely'
import { authorizeIfAllowed } from '#platform/access/act-for.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'

/** No project is deeper in groups. */
const DEEPEST = 32

/**
 * Finds the repository of a Go package: the project whose path the path begins with, if the viewer may see it. Otherwise it
 * is as if the first two parts were a project, so nobody learns what is there.
 */
export async function findModule(db: Db, viewer: Viewer, path: string): Promise<string> {
  const parts = path.split('/')
  const candidates = parts
    .slice(0, DEEPEST)
    .map((_, index) =>
      parts
        .slice(0, index + 1)
        .join('/')
        .toLowerCase(),
    )
    .slice(1)
  // Nothing is below a project, so there is one at most.
  const found = await db
    .selectFrom('namespaces as n')
    .innerJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(['p.id', 'n.full_path'])
    .where('n.kind', '=', 'project')
    .where(sql`lower(n.full_path)`, '=', sql`any(${candidates}::text[])`)
    .where(visibleTo('n', viewer))
    .executeTakeFirst()
  // The predicate knows people, and not which projects let their jobs in.
  const isSeen =
    found !== undefined &&
    (viewer.job === undefined ||
      (await authorizeIfAllowed(db, viewer, found.id, 'read_project')) !== undefined)
  return isSeen ? found.full_path : parts.slice(0, 2).join('/')
}
