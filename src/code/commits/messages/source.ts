import type { Db } from '#platform/db/pool.ts'
import type { CommitProject } from './tell-issues.ts'

/** The project of the commits. */
export function commitProjectOf(db: Db, projectId: number): Promise<CommitProject | undefined> {
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
