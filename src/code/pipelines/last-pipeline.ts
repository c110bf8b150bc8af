import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type PipelineBasic, presentPipelineBasic } from './entity.ts'
import { pipelineBasics } from './queries.ts'

/** The newest pipeline of a commit of the project that a request names; null where there is none that the caller may see. */
export async function lastPipelineOf(
  req: FastifyRequest,
  sha: string,
): Promise<Static<typeof PipelineBasic> | null> {
  const { container, can } = req.project()
  if (!can('read_pipeline')) return null
  const row = await pipelineBasics(req.server.db, container.id)
    .where('p.sha', '=', sha)
    .where('p.is_child', '=', false)
    .orderBy('p.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined
    ? null
    : presentPipelineBasic(row, { site: req.site, fullPath: container.full_path })
}
