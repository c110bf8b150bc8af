import { viewerOfUser } from '#platform/access/act-for.ts'
import { sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { newCommits } from '#code/commits/messages/new-commits.ts'
import { referencesIn } from '#code/commits/messages/references-in.ts'
import { commitProjectOf } from '#code/commits/messages/source.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { resolveNoteables } from '#planning/references/resolve-references.ts'
import type { Comparison } from '../branches.ts'

/** How many issues the commits of one merge request can close. */
const MAX_CLOSED = 100

type Compared = Pick<Comparison, 'head_sha' | 'base_sha'>

/** Who brings commits, and where the web pages are for them. Without an author nobody's rights decide. */
export interface Pusher {
  readonly author: { readonly id: number } | null
  readonly ip: string | null
  readonly site: string
}

/** The references to issues that the commits of a merge request close. Git is asked, so no transaction is open. */
export async function closingInCommits(
  repository: StoredRepository,
  { head_sha, base_sha }: Compared,
  site: string,
): Promise<readonly Reference[]> {
  const brought = { ref: '', before: base_sha ?? NO_OBJECT, after: head_sha }
  const references = referencesIn(await newCommits(repository, [brought], null), site)
  return references.flatMap(({ closes, reference }) => (closes ? [reference] : [])).slice(0, MAX_CLOSED)
}

/** The ids of the issues that the commits of a merge request into the caller's project close, as far as the caller may see them. */
export async function closedByCommits(
  caller: Pick<Caller, 'viewer' | 'site' | 'server' | 'project'>,
  compared: Compared,
): Promise<readonly number[]> {
  const { viewer, site, server } = caller
  const { container } = caller.project()
  const repository = await server.services.repositories.ofProject(container.id)
  if (repository === undefined) return []
  return idsOf(server.db, viewer, container, await closingInCommits(repository, compared, site))
}

/** The same for commits that a push has brought. */
export async function closedByPushed(
  repositories: Repositories,
  repository: StoredRepository,
  project: number,
  compared: Compared,
  { author, ip, site }: Pusher,
): Promise<readonly number[]> {
  const references = await closingInCommits(repository, compared, site)
  if (references.length === 0 || author === null) return []
  const { db } = repositories.source
  const viewer = await viewerOfUser(repositories.source, author.id, ip)
  const here = viewer && (await commitProjectOf(db, project))
  return viewer === undefined || here === undefined ? [] : idsOf(db, viewer, here, references)
}

async function idsOf(
  db: Db,
  viewer: Viewer,
  here: TreePosition,
  references: readonly Reference[],
): Promise<readonly number[]> {
  if (references.length === 0) return []
  return [...new Set((await resolveNoteables(db, viewer, here, references)).map(({ id }) => id))]
}

/** What the commits of a merge request close. */
export interface CommitClosings {
  readonly merge_request_id: number
  readonly issue_ids: readonly number[]
}

/** Keeps which issues the commits of merge requests close, instead of what was known before. */
export async function keepCommitClosings(tx: Tx, all: readonly CommitClosings[]): Promise<void> {
  if (all.length === 0) return
  const pairs = all.flatMap(({ merge_request_id, issue_ids }) =>
    issue_ids.map((issue_id) => ({ merge_request_id, issue_id })),
  )
  const ids = all.map(({ merge_request_id }) => merge_request_id)
  await sql`
    with wanted as (
      select v.merge_request_id, i.id as issue_id
        from ${recordset('merge_request_commit_closings', pairs)} as v
        join issues i on i.id = v.issue_id
        order by i.id for key share of i
    ), gone as (
      delete from merge_request_commit_closings c where c.merge_request_id = any(${ids}::bigint[])
        and not exists (select 1 from wanted w where w.merge_request_id = c.merge_request_id and w.issue_id = c.issue_id)
    )
    insert into merge_request_commit_closings (merge_request_id, issue_id)
    select merge_request_id, issue_id from wanted
    on conflict do nothing`.execute(tx.db)
}
