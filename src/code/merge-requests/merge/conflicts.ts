import { Type } from 'typebox'
import { conflictingFiles } from '#code/git/merge-trees.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { entity } from '#platform/http/schema.ts'
import type { MergeRequestRow } from '../queries.ts'
import { mergeInputOf, standingOf } from './mergeability.ts'

/** Files that are told. Who has more of them settles these first. */
export const MOST_CONFLICTS = 100

/** A file that both branches change in ways that git cannot join. */
export const Conflict = entity('MergeRequestConflict', { path: Type.String() })

/** The first files in which an open merge request conflicts; none where git can merge it, or a branch is gone. */
export async function conflictsOf(
  repositories: Repositories,
  row: MergeRequestRow,
): Promise<readonly string[]> {
  const input = row.state === 'opened' ? await mergeInputOf(repositories, row, standingOf) : undefined
  if (input === undefined || !input.isBehind) return []
  await using quarantine = await Quarantine.open(input.repository)
  return await conflictingFiles(quarantine, input.target, input.head, MOST_CONFLICTS)
}
