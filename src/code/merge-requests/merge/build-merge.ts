import type { Commit } from '#code/git/commit.ts'
import { logIds, mergeBase, type Offer, tellGrowth } from '#code/git/history.ts'
import { addCommit } from '#code/git/new-commit.ts'
import { readCommits } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import type { Quarantine } from '#code/git/quarantine.ts'
import { signatureOfUser } from '#code/repositories/committer.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { completed } from '#tenancy/projects/project-settings.ts'
import type { MergeRequestRow } from '../queries.ts'
import { MERGE_TEMPLATE, type MessageContext, messageFrom, neededBy, SQUASH_TEMPLATE } from './messages.ts'
import { mergedTree, type MergeInput, treeOf } from './mergeability.ts'
import { reviewsOf } from './reviews.ts'
import type { MergeActor } from './merge-actor.ts'
import { squashes } from './squashes.ts'
import type { MergeOptions } from './merge-options.ts'

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
  input: MergeInput & Offer,
  {
    row,
    options,
    actor,
  }: { readonly row: MergeRequestRow; readonly options: MergeOptions; readonly actor: MergeActor },
): Promise<string | undefined> {
  const { merge_method, merge_commit_template, squash_commit_template } = completed(row.settings)
  if (merge_method !== 'merge' && input.isBehind) return undefined
  const tree = await mergedTree(quarantine, input)
  if (tree === undefined) return undefined
  const { source } = repositories
  const { repository } = input
  const squashing = squashes(row, options.squash)
  const templates = {
    merge: merge_commit_template ?? MERGE_TEMPLATE,
    squash: squash_commit_template ?? SQUASH_TEMPLATE,
  }
  const needed = neededBy(squashing ? `${templates.merge}${templates.squash}` : templates.merge)
  const [committer, author, reviews, commits] = await Promise.all([
    signatureOfUser(source, actor.author.id),
    signatureOfUser(source, row.author_id),
    needed.reviews ? reviewsOf(source.db, row.id) : nobody,
    squashing || needed.commits ? commitsOf(repository, input) : [],
  ])
  const context = { ...reviews, row, site: actor.site, mergedBy: committer, author, commits }
  const pack = new PackWriter()
  let brought = input.head
  if (squashing) {
    if (tree === (await treeOf(repository, input.target))) return undefined
    const message = options.squash_commit_message ?? messageFrom(templates.squash, context)
    if (!isSame(context.commits, message))
      brought = addCommit(pack, { ...(await squashed(repository, input, tree)), author, committer, message })
  }
  const isWhole = brought === input.head
  if (merge_method !== 'ff') {
    const message = options.merge_commit_message ?? messageFrom(templates.merge, context)
    const parents = [input.target, brought]
    brought = addCommit(pack, { tree, parents, author: committer, committer, message })
  }
  if (brought !== input.head) await quarantine.add(pack)
  if (isWhole) tellGrowth(repository, input.target, brought, input)
  return brought
}

const nobody = { approvedBy: [], reviewedBy: [] }

/** The only commit of a branch is its own squash, unless it gets another message. */
const isSame = ([only, second]: readonly Commit[], message: string): boolean =>
  only !== undefined && second === undefined && only.message.trim() === message.trim()

/** All changes of the source branch as one commit on top of the merge base. */
async function squashed(
  repository: Quarantine['repository'],
  { head, target }: MergeInput,
  merged: string,
): Promise<{ readonly tree: string; readonly parents: readonly string[] }> {
  const base = await mergeBase(repository, [target, head])
  if (base === undefined) return { tree: merged, parents: [target] }
  return { tree: await treeOf(repository, head), parents: [base] }
}

async function commitsOf(
  repository: Quarantine['repository'],
  { head, target }: MergeInput,
): Promise<MessageContext['commits']> {
  const ids = await logIds(repository, { from: [head], not: [target] }, { skip: 0, limit: MOST_COMMITS })
  return readCommits(repository, ids.toReversed())
}
