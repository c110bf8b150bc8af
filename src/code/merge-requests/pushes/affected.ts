import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'

/** An open merge request that a push concerns. */
export interface AffectedMergeRequest {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly source_project_id: number | null
  readonly source_branch: string
  readonly target_branch: string
  readonly head_sha: string
  readonly base_sha: string | null
  readonly start_sha: string
  readonly changed_files: number
  readonly namespace_id: number
  readonly title: string
  /** Null for a description that is too long to be searched: it closes no issues. */
  readonly description: string | null
  /** Whether an automatic merge waits. */
  readonly waits: boolean
}

/** The most merge requests that are read before a push is recorded. A job does the rest. */
export const MAX_AFFECTED = 100

type Side = 'source' | 'target' | 'merging'

/** Characters of the longest description that is searched for issues to close. */
const MAX_SEARCHED_DESCRIPTION = 65_536

const select = (where: RawBuilder<unknown>, limit: number, side: Side = 'target') => sql<
  AffectedMergeRequest & { side: Side }
>`
  select ${side}::text as side, mr.id, mr.iid, mr.project_id, mr.source_project_id, mr.source_branch, mr.target_branch, mr.head_sha, mr.base_sha,
    mr.start_sha, mr.changed_files, p.project_namespace_id as namespace_id, mr.title,
    case when octet_length(mr.description) <= ${MAX_SEARCHED_DESCRIPTION} then mr.description end as description,
    mr.auto_merge is not null as waits
  from merge_requests mr join projects p on p.id = mr.project_id
  where mr.state = 'opened' and ${where} order by mr.id limit ${limit}`

/** Open merge requests whose source is one of these branches of a project. */
const fromBranches = (project: number, branches: readonly string[]) =>
  sql`mr.source_project_id = ${project} and mr.source_branch = any(${[...branches]}::text[])`

/** Open merge requests whose target is one of these branches of a project. */
const intoBranches = (project: number, branches: readonly string[], after: number) =>
  sql`mr.project_id = ${project} and mr.target_branch = any(${[...branches]}::text[]) and mr.id > ${after}`

/**
 * The open merge requests that a push to some branches concerns, in one statement.
 * @param merging the number of the merge request that the push merges; 0 for none.
 */
export async function affectedBy(
  db: Db,
  project: number,
  branches: readonly string[],
  merging: number,
): Promise<ReadonlyMap<Side, readonly AffectedMergeRequest[]>> {
  const { rows } = await sql<AffectedMergeRequest & { side: Side }>`
    (${select(fromBranches(project, branches), MAX_AFFECTED + 1, 'source')})
    union all (${select(intoBranches(project, branches, 0), MAX_AFFECTED + 1, 'target')})
    union all (${select(sql`mr.project_id = ${project} and mr.iid = ${merging}`, 1, 'merging')})`.execute(db)
  return Map.groupBy(rows, ({ side }) => side)
}

/** The next page of open merge requests into these branches. */
export async function nextInto(
  db: Db,
  project: number,
  branches: readonly string[],
  after: number,
): Promise<readonly AffectedMergeRequest[]> {
  return (await select(intoBranches(project, branches, after), MAX_AFFECTED + 1).execute(db)).rows
}

/** Open merge requests by their ids. */
export async function affectedOnes(db: Db, ids: readonly number[]): Promise<readonly AffectedMergeRequest[]> {
  const where = sql`mr.id = any(${[...ids]}::bigint[])`
  return (await select(where, ids.length).execute(db)).rows
}
