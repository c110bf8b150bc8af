import { defined } from '#platform/defined.ts'
import type { Static } from 'typebox'
import { refusal, Unprocessable } from '#platform/refusals.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { type Branches, compareBranches, type Comparison } from './branches.ts'
import type { MergeRequestChangeRequest } from './changes.ts'
import type { MergeRequestChanges } from './parameters.ts'

/** What a request asks for, with the new names of parameters that have older ones. */
export function withNewNames({
  allow_collaboration,
  allow_maintainer_to_push = allow_collaboration,
  approvals_before_merge,
  ...given
}: Static<typeof MergeRequestChanges>): MergeRequestChangeRequest {
  return defined({
    ...given,
    allow_collaboration: allow_maintainer_to_push,
    approvals_required: approvals_before_merge,
  })
}

/** Nothing can be merged into itself. */
export const sameBranches = () => new Unprocessable([knownTexts['same-branch']], { code: 'same-branch' })

/** @throws 400 when a branch does not exist */
export async function comparisonOf(
  { server }: Pick<Caller, 'server'>,
  branches: Branches,
): Promise<Comparison> {
  const found = await compareBranches(server.services.repositories, branches)
  if (found === 'no source') throw refusal(`Source branch "${branches.source.branch}" does not exist`)
  if (found === 'no target') throw refusal(`Target branch "${branches.target.branch}" does not exist`)
  return found
}
