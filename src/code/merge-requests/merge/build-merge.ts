import type { Commit } from '#code/git/commit.ts'
import { logIds } from '#code/git/history.ts'
import { addCommit } from '#code/git/new-commit.ts'
import { readCommits } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import type { Quarantine } from '#code/git/quarantine.ts'
import { signatureOfUser } from '#code/repositories/committer.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { completed } from '#tenancy/projects/project-settings.ts'
import type { MergeRequestRow } from '../queries.ts'
import { MERGE_TEMPLATE, type MessageContext, messageFrom, SQUASH_TEMPLATE } from './messages.ts'
import { isBehind, mergedTree, type Sides, treeOf } from './mergeability.ts'
import { reviewsOf } from './reviews.ts'
import type { Merger } from './merger.ts'
import { squashes } from './squashes.ts'
import type { MergeWish } from './wish.ts'

/** Commits that messages are made of, and more of which nobody reads. */
const MOST_COMMITS = 100

/**
 * Makes the commits of a merge, in the quarantine.
 * @returns the new tip of the target branch; undefined when it cannot be merged: for a conflict, where the method takes a rebase
 * first, and where a squashed commit would change nothing.
 */
export async function buildMerge(
  repositories: Repositories,
  quarantine: Quarantine,
  sides: Sides,
  { row, wish, merger }: { readonly row: MergeRequestRow; readonly wish: MergeWish; readonly merger: Merger },
): Promise<string | undefined> {
  const { merge_method, merge_commit_template, squash_commit_template } = completed(row.settings)
  if (merge_method !== 'merge' && isBehind(sides)) return undefined
  const tree = await mergedTree(quarantine, sides)
  if (tree === undefined) return undefined
  const { source } = repositories
  const { repository } = quarantine
  const committer = await signatureOfUser(source, merger.author.id)
  const author = await signatureOfUser(source, row.author_id)
  const context = {
    ...(await reviewsOf(source.db, row.id)),
    row,
    site: merger.site,
    mergedBy: committer,
    author,
    commits: await commitsOf(repository, sides),
  }
  const pack = new PackWriter()
  let brought = sides.head
  if (squashes(row, wish.squash)) {
    if (tree === (await treeOf(repository, sides.target))) return undefined
    const message =
      wish.squash_commit_message ?? messageFrom(squash_commit_template ?? SQUASH_TEMPLATE, context)
    if (!isSame(context.commits, message))
      brought = addCommit(pack, { ...(await squashed(repository, sides, tree)), author, committer, message })
  }
  if (merge_method !== 'ff') {
    const message = wish.merge_commit_message ?? messageFrom(merge_commit_template ?? MERGE_TEMPLATE, context)
    const parents = [sides.target, brought]
    brought = addCommit(pack, { tree, parents, author: committer, committer, message })
  }
  if (brought !== sides.head) await quarantine.add(pack)
  return brought
}

/** The only commit of a branch is its own squash, unless it gets another message. */
const isSame = ([only, second]: readonly Commit[], message: string): boolean =>
  only !== undefined && second === undefined && only.message.trim() === message.trim()

/** Everything that the source branch changed as one commit on what both sides come from. */
async function squashed(
  repository: Quarantine['repository'],
  { base, head, target }: Sides,
  merged: string,
): Promise<{ readonly tree: string; readonly parents: readonly string[] }> {
  if (base === undefined) return { tree: merged, parents: [target] }
  return { tree: await treeOf(repository, head), parents: [base] }
}

async function commitsOf(
  repository: Quarantine['repository'],
  { head, target }: Sides,
): Promise<MessageContext['commits']> {
  const ids = await logIds(repository, { from: [head], not: [target] }, { skip: 0, limit: MOST_COMMITS })
  return readCommits(repository, ids.toReversed())
}
