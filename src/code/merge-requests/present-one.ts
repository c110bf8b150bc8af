import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { audienceOf } from '#planning/issues/present.ts'
import { demandsApprovals } from './approvals/tier.ts'
import { authorizeIfAllowed } from '#platform/access/act-for.ts'
import { headPipelineOf } from '../pipelines/head-pipeline.ts'
import { canMergeInto } from './can-merge.ts'
import type { MergeRequestSingle } from './entity.ts'
import { type MergeRequestAudience, presentSingleMergeRequest } from './present.ts'
import type { SingleMergeRequestRow } from './queries.ts'

/** What presenters of merge requests need from the request. */
export const mergeRequestAudience = (
  req: Parameters<typeof audienceOf>[0] & Pick<FastifyRequest, 'server'>,
): MergeRequestAudience => ({
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
  const pipeline = await shownPipeline(req, row)
  return presentSingleMergeRequest(row, mergeRequestAudience(req), { canMerge, pipeline })
}

/** The pipeline of the tip, if the caller may see those of the source project. */
async function shownPipeline(req: FastifyRequest, row: SingleMergeRequestRow) {
  const { db, services } = req.server
  const found = await headPipelineOf(db, row, services.clock.now().toISOString())
  if (found === null) return null
  const source =
    row.source_project_id === row.project_id
      ? req.project()
      : await authorizeIfAllowed(db, req.viewer, found.project_id, 'read_pipeline')
  if (source?.can('read_pipeline') !== true) return null
  const { container } = source
  return { row: found, at: { site: req.site, fullPath: container.full_path } }
}
