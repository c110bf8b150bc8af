import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Merged } from './introduced-by.ts'

/** The merge requests of a project whose merge or whose head is among some commits. */
export async function mergedWith(db: Db, projectId: number, commits: readonly string[]): Promise<Merged[]> {
  const { rows } = await sql<Merged>`
    select iid, head_sha, base_sha, merge_commit_sha, squash_commit_sha from merge_requests
      where project_id = ${projectId} and state = 'merged' and (merge_commit_sha = any(${commits}::text[])
        or squash_commit_sha = any(${commits}::text[]) or head_sha = any(${commits}::text[]))
      order by id limit 5000`.execute(db)
  return rows
}
