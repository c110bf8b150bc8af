import { sql } from 'kysely'
import type { Repository } from '#code/git/repository.ts'
import { descendantsAmong } from '#code/git/history.ts'
import type { Db } from '#platform/db/pool.ts'

/** The most merge requests of a project, the newest first, that are asked for a commit. */
const MAX_MERGE_REQUESTS = 10_000

interface Brought {
  readonly id: number
  readonly head_sha: string
  readonly base_sha: string | null
  /** Whether merging made the commit. */
  readonly made: boolean
}

/**
 * The ids of the merge requests of a project that bring a commit, whatever their state: it is among their commits, or merging them made it. One process asks
 * Git about all of them.
 * @param commit its whole id
 */
export async function mergeRequestsWith(
  db: Db,
  repository: Repository,
  projectId: number,
  commit: string,
): Promise<number[]> {
  const { rows } = await sql<Brought>`
    select id, head_sha, base_sha, coalesce(${commit} in (merge_commit_sha, squash_commit_sha), false) as made
      from merge_requests where project_id = ${projectId} order by created_at desc, id desc limit ${MAX_MERGE_REQUESTS}`.execute(
    db,
  )
  const asked = rows.flatMap(({ head_sha, base_sha }) => [head_sha, ...(base_sha === null ? [] : [base_sha])])
  const after = asked.length === 0 ? new Set<string>() : await descendantsAmong(repository, commit, asked)
  const contains = (id: string) => id === commit || after.has(id)
  return rows
    .filter(
      ({ made, head_sha, base_sha }) =>
        made || (contains(head_sha) && (base_sha === null || !contains(base_sha))),
    )
    .map(({ id }) => id)
}
