import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { text } from '#platform/http/schema.ts'
import { ByCommit, Page } from './parameters.ts'

const config = reads(project('download_code'), { anonymous: true })

const MergeRequestFilter = Type.Object({ ...Page.properties, state: Type.Optional(text()) })

/** Routes for what belongs to a commit. */
export const relatedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/commits/:sha/merge_requests',
    {
      config,
      schema: {
        summary: 'List the merge requests that brought a commit',
        description: 'Empty: there are no merge requests yet.',
        params: ByCommit,
        querystring: MergeRequestFilter,
        response: { 200: Type.Array(Type.Object({})) },
      },
    },
    async (req, reply) => {
      await findCommit(await requestedRepository(req), req.params.sha)
      return paginateNothing(req, reply)
    },
  )
}
