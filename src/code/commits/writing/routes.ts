import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requiredRepository } from '#code/repositories/requested.ts'
import { project, writes } from '#platform/access/route-access.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { ById } from '#platform/http/schema.ts'
import { CommitDetail } from '../entity.ts'
import { presentOneCommit } from '../present.ts'
import { createCommit } from './create-commit.ts'
import { NewCommitParameters } from './schema.ts'

/** The route that makes commits. */
export const commitWritingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/projects/:id/repository/commits',
    {
      config: writes(project('commit_code')),
      schema: {
        summary: 'Create a commit',
        description: 'All actions are carried out, or none. The first commit makes the first branch.',
        params: ById,
        body: NewCommitParameters,
        refuses: [409],
        response: { 201: CommitDetail },
      },
    },
    async (req) => {
      const { commit_message: message, stats, allow_empty, ...wanted } = req.body
      if (wanted.actions.length === 0 && !allow_empty) {
        throw invalidParameters([{ name: 'actions', text: 'is empty', missing: false }])
      }
      const repository = await requiredRepository(req)
      const commit = await createCommit(req, repository, { ...wanted, message })
      const shown = { with_stats: stats, trailers: true }
      const presented = await presentOneCommit(req, repository, commit, shown)
      const { id: project_id } = req.project().container
      return { ...presented, status: null, project_id, last_pipeline: null }
    },
  )
}
