import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { audienceOf } from '#planning/issues/present.ts'
import { demandsApprovals } from './approvals/tier.ts'
import { canMergeInto } from './can-merge.ts'
import type { MergeRequestSingle } from './entity.ts'
import { type MergeRequestAudience, presentSingleMergeRequest } from './present.ts'
import type { SingleMergeRequestRow } from './queries.ts'

/** What presenters of merge requests need from the request. */
export const mergeRequestAudience = (req: FastifyRequest): MergeRequestAudience => ({
  ...audienceOf(req),
  now: req.server.services.clock.now().getTime(),
  demandsApprovals: demandsApprovals(req.server.services),
})

/** One merge request as its caller sees it. */
export async function presentOne(
  req: FastifyRequest,
  row: SingleMergeRequestRow,
): Promise<Static<typeof MergeRequestSingle>> {
  const canMerge = await canMergeInto(req, row.target_branch)
  return presentSingleMergeRequest(row, mergeRequestAudience(req), canMerge)
}
