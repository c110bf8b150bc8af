import { BRANCHES } from '#code/git/names.ts'
import { offerOf } from '#code/git/history.ts'
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
import { mergeInputOf } from './mergeability.ts'
import { mayMergeInto, type MergeActor } from './merge-actor.ts'
import { removeSource } from './remove-source.ts'
import type { MergeOptions } from './merge-options.ts'

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
  actor: MergeActor,
  iid: number,
  options: MergeOptions,
): Promise<void> {
  const merged = await merging.take(actor.authorized.container.id, async () => {
    if (options.squash !== undefined) await noteSquash(repositories, actor, iid, options)
    for (let tries = 0; tries < TRIES; tries += 1) {
      const row = await mergeableNow(repositories, actor, iid, options)
      if (await mergeOnce(repositories, actor, row, options)) return row
    }
    throw conflict('409 Conflict - the target branch keeps changing; try again')
  })
  if (options.should_remove_source_branch ?? merged.remove_source_branch ?? false)
    await removeSource(repositories, actor, merged)
}

/** The merge request as it is now, if nothing but its commits can stand in the way. @throws as {@link mergeMergeRequest} */
async function mergeableNow(
  { source: { db, clock } }: Repositories,
  actor: MergeActor,
  iid: number,
  { sha }: MergeOptions,
): Promise<MergeRequestRow> {
  const row = await findMergeRequest(db, actor.viewer, actor.authorized, iid)
  if (!(await mayMergeInto(db, actor, row.target_branch))) throw unauthorized()
  const moment = { now: clock.now().getTime(), demandsApprovals: actor.demandsApprovals }
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
  actor: MergeActor,
  iid: number,
  options: MergeOptions,
): Promise<void> {
  const { id, squash } = await mergeableNow(repositories, actor, iid, options)
  const wanted = options.squash
  if (wanted === undefined || wanted === squash) return
  await transact(repositories.source, actor.by, async (tx) => {
    await tx.db.updateTable('merge_requests').set({ squash: wanted }).where('id', '=', id).execute()
  })
}

/** @returns false when somebody else was faster, so that it is worth another try */
async function mergeOnce(
  repositories: Repositories,
  actor: MergeActor,
  row: MergeRequestRow,
  options: MergeOptions,
): Promise<boolean> {
  const input = await mergeInputOf(repositories, row, offerOf)
  if (input === undefined) throw cannot()
  await using quarantine = await Quarantine.open(input.repository)
  const after = await buildMerge(repositories, quarantine, input, { row, options, actor })
  if (after === undefined) throw cannot()
  const [outcome] = await changeReferences(repositories, input.repository, {
    changes: [{ ref: BRANCHES + row.target_branch, before: input.target, after, grows: true }],
    by: actor.by,
    changer: actor.changer,
    cause: causeOfMerge(row.iid, input.head),
    site: actor.site,
    quarantine,
  })
  return hasHappened(outcome)
}

const cannot = () => unprocessable(known('cannot-be-merged'))
