import { BRANCHES } from '#code/git/names.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { changeReferences } from '#code/repositories/change-references.ts'
import { hasHappened } from '#code/repositories/outcome.ts'
import { transact } from '#platform/db/transaction.ts'
import { causeOfMerge } from '#code/repositories/merge-cause.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { Turns } from '#code/repositories/turns.ts'
import { conflict, known, notPossible, unauthorized, unprocessable } from '#platform/refusals.ts'
import { findMergeRequest, type MergeRequestRow } from '../queries.ts'
import { obstacleOf } from '../merge-status.ts'
import { buildMerge } from './build-merge.ts'
import { sidesOf } from './mergeability.ts'
import { mayMergeInto, type Merger } from './merger.ts'
import { removeSource } from './remove-source.ts'
import type { MergeWish } from './wish.ts'

/** How often a merge is made anew because others were faster. */
const TRIES = 10

/** Merges into one repository happen one after the other in a process: each is made for the tip that the one before left. */
const merging = new Turns()

/**
 * Merges a merge request. The target branch changes once, and what records that change also marks the merge request as merged.
 * @throws 401 for those who may not merge, 405 for what is not open, a draft or otherwise held back, 409 when the source branch has
 * another commit or others keep changing the target, 422 for a conflict or where the method takes a rebase first.
 */
export async function mergeMergeRequest(
  repositories: Repositories,
  merger: Merger,
  iid: number,
  wish: MergeWish,
): Promise<void> {
  const merged = await merging.take(merger.authorized.container.id, async () => {
    if (wish.squash !== undefined) await noteSquash(repositories, merger, iid, wish)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await mergeableNow(repositories, merger, iid, wish)
      if (await mergeOnce(repositories, merger, row, wish)) return row
    }
    throw conflict('409 Conflict - the target branch keeps changing; try again')
  })
  if (wish.should_remove_source_branch ?? merged.remove_source_branch ?? false)
    await removeSource(repositories, merger, merged)
}

/** The merge request as it is now, if nothing but its commits can stand in the way. @throws as {@link mergeMergeRequest} */
async function mergeableNow(
  { source: { db, clock } }: Repositories,
  merger: Merger,
  iid: number,
  { sha }: MergeWish,
): Promise<MergeRequestRow> {
  const row = await findMergeRequest(db, merger.viewer, merger.authorized, iid)
  if (!(await mayMergeInto(db, merger, row.target_branch))) throw unauthorized()
  const moment = { now: clock.now().getTime(), demandsApprovals: merger.demandsApprovals }
  if (obstacleOf(row, moment) !== undefined) throw notPossible(known('held-back'))
  assertSha(row, sha)
  return row
}

/** @throws 409 when somebody has seen another commit */
export function assertSha({ head_sha }: Pick<MergeRequestRow, 'head_sha'>, sha: string | undefined): void {
  if (sha !== undefined && sha !== head_sha) throw conflict(known('other-commit', `: ${head_sha}`))
}

/** Whether commits are squashed stays with a merge request, as the last one who merged wanted it. */
async function noteSquash(
  repositories: Repositories,
  merger: Merger,
  iid: number,
  wish: MergeWish,
): Promise<void> {
  const { id, squash } = await mergeableNow(repositories, merger, iid, wish)
  const wanted = wish.squash
  if (wanted === undefined || wanted === squash) return
  await transact(repositories.source, merger.by, async (tx) => {
    await tx.db.updateTable('merge_requests').set({ squash: wanted }).where('id', '=', id).execute()
  })
}

/** @returns false when somebody else was faster, so that it is worth another try */
async function mergeOnce(
  repositories: Repositories,
  merger: Merger,
  row: MergeRequestRow,
  wish: MergeWish,
): Promise<boolean> {
  const sides = await sidesOf(repositories, row)
  if (sides === undefined) throw cannot()
  await using quarantine = await Quarantine.open(sides.repository)
  const after = await buildMerge(repositories, quarantine, sides, { row, wish, merger })
  if (after === undefined) throw cannot()
  const [outcome] = await changeReferences(repositories, sides.repository, {
    changes: [{ ref: BRANCHES + row.target_branch, before: sides.target, after }],
    by: merger.by,
    changer: merger.changer,
    cause: causeOfMerge(row.iid, sides.head),
    site: merger.site,
    quarantine,
  })
  return hasHappened(outcome)
}

const cannot = () => unprocessable(known('cannot-be-merged'))
