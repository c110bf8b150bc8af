import { MERGE_REQUESTS } from '#code/git/names.ts'
import { addCommit, type CommitSignature } from '#code/git/new-commit.ts'
import { readCommit } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { readReferences } from '#code/git/references.ts'
import { updateReferences } from '#code/git/update-references.ts'
import { assertWritable } from '#code/repositories/read-only.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import type { MergeRequestRow } from '../queries.ts'
import { mergedTree, mergeInputOf, standingOf } from './mergeability.ts'

/** Whoever asks first makes it, so it names nobody. */
const nobody = { name: 'Forgelet', email: 'noreply@localhost' }

/**
 * The commit that merging would give, at a hidden reference of the merge request. It is made of both tips alone, so that the same tips
 * give the same commit.
 * @returns undefined for what cannot be merged
 */
export async function mergeRefOf(
  repositories: Repositories,
  row: MergeRequestRow,
): Promise<string | undefined> {
  const input = row.state === 'opened' ? await mergeInputOf(repositories, row, standingOf) : undefined
  if (input === undefined) return undefined
  const { repository, head, target } = input
  const ref = `${MERGE_REQUESTS}${row.iid}/merge`
  const known = (await readReferences(repository, [ref])).get(ref)
  const before = known === undefined ? undefined : await readCommit(repository, known)
  if (before?.parents[0] === target && before.parents[1] === head) return known
  await using quarantine = await Quarantine.open(repository)
  const tree = await mergedTree(quarantine, input)
  const tip = await readCommit(repository, head)
  if (tree === undefined || tip === undefined) return undefined
  assertWritable(repository.row)
  const pack = new PackWriter()
  const by: CommitSignature = { ...nobody, time: tip.committer.time * 1_000 }
  const message = `Merge ${head} into ${target}`
  const after = addCommit(pack, { tree, parents: [target, head], author: by, committer: by, message })
  await quarantine.add(pack)
  await quarantine.keep()
  // Nobody sees it, and it means nothing by itself, so nothing is recorded.
  await updateReferences(repository, [{ ref, before: '', after }], true)
  return after
}
