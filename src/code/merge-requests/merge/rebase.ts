import { Type } from 'typebox'
import { copyObjects } from '#code/git/copy-objects.ts'
import { logIds, mergeBase } from '#code/git/history.ts'
import { mergeTrees } from '#code/git/merge-trees.ts'
import { BRANCHES } from '#code/git/names.ts'
import { addCommit, type CommitSignature, sameAuthor } from '#code/git/new-commit.ts'
import { objectInfo, readCommit, readCommits } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import type { Commit } from '#code/git/commit.ts'
import type { Repository } from '#code/git/repository.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import { signatureOfUser } from '#code/repositories/committer.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import { reasonIn } from '#platform/known-texts.ts'
import { tipOf } from '../branches.ts'
import { treeOf } from './mergeability.ts'
import { mergeActorFor } from './merge-actor.ts'

/** The most commits that are rebased. */
const MAX_REBASED_COMMITS = 500

/** Puts the commits of a source branch on top of the target branch. */
export const rebaseMergeRequest = defineTask(
  'merge-requests/rebase',
  'short',
  Type.Object({ merge_request_id: Type.Integer(), user_id: Type.Integer(), site: Type.String() }),
  ({ merge_request_id, user_id, site }, job) =>
    withLease(job, `rebase merge request ${merge_request_id}`, async () => {
      const row = await job.db
        .selectFrom('merge_requests')
        .select(['id', 'project_id', 'source_project_id', 'source_branch', 'target_branch'])
        .where('id', '=', merge_request_id)
        .where('rebasing_since', 'is not', null)
        .executeTakeFirst()
      if (row === undefined) return
      const problem = await rebase(job, row, { user_id, site }).then(() => undefined, problemOf)
      await finish(job, row.id, problem)
    }),
)

/** Why commits cannot be rebased. */
class CannotRebase extends Error {
  override readonly name = 'CannotRebase'
}

/** What is refused today is refused tomorrow: the rebase has failed. @throws everything that may pass by itself */
function problemOf(error: unknown): string {
  if (error instanceof CannotRebase) return error.message
  if (error instanceof Refusal && !isPassing(error)) return `${reasonIn(error.message)}. Rebase them locally.`
  throw error
}

interface Rebased {
  readonly project_id: number
  readonly source_project_id: number | null
  readonly source_branch: string
  readonly target_branch: string
}

/** Puts the branch on top of the target. @throws {CannotRebase} */
async function rebase(
  job: JobContext,
  { project_id, source_project_id, source_branch, target_branch }: Rebased,
  { user_id, site }: { readonly user_id: number; readonly site: string },
): Promise<void> {
  if (source_project_id === null) throw new CannotRebase('The source project was deleted')
  const { repositories } = job
  const actor = await mergeActorFor(job, {
    userId: user_id,
    projectId: source_project_id,
    site,
    ability: 'commit_code',
  })
  if (actor === undefined) throw new CannotRebase('You may not push to the source branch')
  const into = await repositories.ofProject(project_id)
  const from = source_project_id === project_id ? into : await repositories.ofProject(source_project_id)
  const [target, head] = await Promise.all([tipOf(into, target_branch), tipOf(from, source_branch)])
  if (into === undefined || target === undefined) throw new CannotRebase('The target branch does not exist')
  if (from === undefined || head === undefined) throw new CannotRebase('The source branch does not exist')
  await using quarantine = await Quarantine.open(from)
  if ((await objectInfo(from, target)) === undefined) await copyObjects(into, from, [target], quarantine)
  const committer = await signatureOfUser(repositories.source, user_id)
  const after = await rebasedTip(quarantine, { head, target }, committer)
  const [outcome] = await changeReferences(repositories, from, {
    changes: [{ ref: BRANCHES + source_branch, before: head, after }],
    by: actor.by,
    changer: actor.changer,
    cause: 'rebase',
    site,
    quarantine,
  })
  if (outcome?.refused !== undefined) throw new CannotRebase(outcome.refused.text)
}

/** @returns the new tip. @throws {CannotRebase} */
async function rebasedTip(
  quarantine: Quarantine,
  { head, target }: { readonly head: string; readonly target: string },
  committer: CommitSignature,
): Promise<string> {
  const { repository } = quarantine
  if ((await mergeBase(repository, [head, target])) === target) return head
  const filter = { from: [head], not: [target], order: 'topo' } as const
  const ids = await logIds(repository, filter, { skip: 0, limit: MAX_REBASED_COMMITS + 1 })
  if (ids.length > MAX_REBASED_COMMITS)
    throw new CannotRebase(`A rebase takes ${MAX_REBASED_COMMITS} commits at most. Rebase them locally.`)
  const commits = (await readCommits(repository, ids.toReversed())).filter(
    ({ parents }) => parents.length < 2,
  )
  const trees = await treesBefore(quarantine, commits)
  const pack = new PackWriter()
  let tip = target
  let tree = await treeOf(repository, target)
  for (const commit of commits) {
    const merged = await mergeTrees(quarantine, {
      base: trees.get(commit.id),
      ours: tree,
      theirs: commit.tree,
    })
    if (merged === undefined) {
      throw new CannotRebase('The commits conflict with those of the target branch. Rebase them locally.')
    }
    // What the target has already needs no commit.
    if (merged === tree) continue
    tree = merged
    const message = await wholeMessage(repository, commit)
    tip = addCommit(pack, { tree, parents: [tip], author: sameAuthor(commit), committer, message })
  }
  if (tip !== target) await quarantine.add(pack)
  return tip
}

/** Long messages of many commits are read in part. A commit read by itself has its whole message, unless that is absurd. */
async function wholeMessage(repository: Repository, commit: Commit): Promise<string> {
  const read = commit.isCut ? await readCommit(repository, commit.id) : commit
  if (read !== undefined && !read.isCut) return read.message
  throw new CannotRebase(`The message of ${commit.id} is too long. Rebase the commits locally.`)
}

/** The trees that commits have changed, by the ids of the commits. */
async function treesBefore(
  { repository }: Quarantine,
  commits: readonly Commit[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const parents = await readCommits(
    repository,
    commits.flatMap(({ parents }) => parents),
  )
  const trees = new Map(parents.map(({ id, tree }) => [id, tree]))
  return new Map(commits.map(({ id, parents: [parent] }) => [id, trees.get(parent ?? '')]))
}

async function finish(job: JobContext, id: number, problem: string | undefined): Promise<void> {
  const merge_error = problem === undefined ? null : `Rebase failed: ${problem}`.slice(0, 1_000)
  await job.transact(async (tx) => {
    await tx.db
      .updateTable('merge_requests')
      .set({ rebasing_since: null, merge_error })
      .where('id', '=', id)
      .execute()
  })
}
