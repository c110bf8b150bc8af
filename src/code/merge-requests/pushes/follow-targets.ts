import { viewerOfUser } from '#platform/access/act-for.ts'
import { Type } from 'typebox'
import type { WrittenBy } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask } from '#platform/jobs/task.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { commitProjectOf } from '#code/commits/messages/source.ts'
import { type Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { type AffectedMergeRequest, MAX_AFFECTED, nextInto } from './affected.ts'
import { closingInCommits } from '../issues/commit-closings.ts'
import { closingsOf, type LandedMergeRequest } from './closed-by-merge.ts'
import { type MergedMergeRequest, mergedBy, type MovedBranch } from './merged-by-push.ts'
import { authorOf } from './refresh-sources.ts'
import { type TargetsPushed, writeTargetsPushed } from './write-target.ts'

const Payload = Type.Object({
  project_id: Type.Integer(),
  /** The branches that a push has moved. */
  moved: Type.Array(Type.Object({ branch: Type.String(), before: Type.String(), after: Type.String() })),
  /** Who has pushed. */
  author_id: Type.Union([Type.Integer(), Type.Null()]),
  ip: Type.Union([Type.String(), Type.Null()]),
  site: Type.String(),
  /** The last merge request that was looked at. */
  after_id: Type.Integer(),
})

/** The most moved branches that a job remembers. */
const BRANCHES = 1_000

/** Looks at the merge requests that a push to their target branches left for later, some at a time. */
export const followTargets = defineTask(
  'merge-requests/follow-targets',
  'short',
  Payload,
  async (payload, job) => {
    const { project_id, moved, author_id, ip, site, after_id } = payload
    const repositories = job.repositories
    const repository = await repositories.ofProject(project_id)
    if (repository === undefined) return
    const branches = moved.map(({ branch }) => branch)
    const rows = await nextInto(job.db, project_id, branches, after_id)
    const author = (await authorOf(job, author_id)) ?? null
    const push = { projectId: project_id, repository, moved, by: { author, ip }, site }
    const pushed = await readTargets(repositories, push, rows.slice(0, MAX_AFFECTED), [])
    await job.transact(async (tx) => {
      await writeTargetsPushed(tx, pushed)
      await followLater(tx, push, rows)
    }, author ?? undefined)
  },
)

/** A push to target branches. */
export interface TargetPush {
  readonly projectId: number
  readonly repository: StoredRepository
  readonly moved: readonly MovedBranch[]
  readonly by: Pick<WrittenBy, 'author' | 'ip'>
  readonly site: string
}

/** Enqueues the job for those that are left. @param rows those that were looked at, and one more if there are more. */
export async function followLater(
  tx: Tx,
  { projectId, moved, by, site }: TargetPush,
  rows: readonly AffectedMergeRequest[],
): Promise<void> {
  const last = rows[MAX_AFFECTED - 1]
  if (rows.length <= MAX_AFFECTED || last === undefined) return
  await enqueue(tx, followTargets, {
    project_id: projectId,
    moved: moved.slice(0, BRANCHES).map(({ branch, before, after }) => ({ branch, before, after })),
    author_id: by.author?.id ?? null,
    ip: by.ip,
    site,
    after_id: last.id,
  })
}

/**
 * Finds out, outside of transactions, which merge requests a push to their target branches has merged, and what those close.
 * @param asked the one that the push was made for.
 */
export async function readTargets(
  repositories: Repositories,
  { projectId, repository, moved, by, site }: TargetPush,
  rows: readonly AffectedMergeRequest[],
  asked: readonly MergedMergeRequest[],
): Promise<TargetsPushed> {
  const known = new Set(asked.map(({ row }) => row.id))
  const others = rows.filter(({ id }) => !known.has(id))
  const merged = [...asked, ...(await mergedBy(repository, others, moved))]
  const { default_branch } = repository.row
  const onDefault = merged.filter(({ row }) => row.target_branch === default_branch)
  const landed = await Promise.all(onDefault.map((one) => landedOf(repository, one, site)))
  return { rows, merged, closings: await closingsBy(repositories, { projectId, by, site }, landed) }
}

/** Commits that came themselves are read as those of any push; see readMessages. */
async function landedOf(
  repository: StoredRepository,
  { row, head_sha, squash_commit_sha }: MergedMergeRequest,
  site: string,
): Promise<LandedMergeRequest> {
  const brought = { head_sha, base_sha: row.base_sha }
  return {
    row,
    squashed: squash_commit_sha === null ? [] : await closingInCommits(repository, brought, site),
  }
}

async function closingsBy(
  repositories: Repositories,
  { projectId, by, site }: Pick<TargetPush, 'projectId' | 'by' | 'site'>,
  landed: readonly LandedMergeRequest[],
): Promise<TargetsPushed['closings']> {
  if (landed.length === 0 || by.author === null) return null
  const { db } = repositories.source
  const viewer = await viewerOfUser(repositories.source, by.author.id, by.ip)
  const source = viewer && (await commitProjectOf(db, projectId))
  if (viewer === undefined || source === undefined) return null
  return { viewer, all: await closingsOf(db, viewer, source, landed, site) }
}
