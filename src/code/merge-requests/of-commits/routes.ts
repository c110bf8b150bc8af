import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { ByCommit } from '#code/commits/by-commit.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { oneOf } from '#platform/http/schema.ts'
import { byIds } from '#planning/noteables/list/item-filter.ts'
import { mergeRequestStates } from '../entity.ts'
import { ListedMergeRequest } from '../list/entity.ts'
import { listMergeRequests } from '../list/list-merge-requests.ts'
import { ofProject } from '../list/listed-merge-requests.ts'
import { mergeRequestsWith } from './merge-requests-with.ts'

const Filter = Type.Object({
  ...pageParameters,
  state: Type.Optional(oneOf(mergeRequestStates, { description: 'All by default.' })),
})

/** The merge requests that brought a commit, as far as the caller may read them. */
export const commitMergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/commits/:sha/merge_requests',
    {
      config: reads(project('download_code'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the merge requests that brought a commit',
        description:
          'Those into branches of this project that have the commit among theirs, or whose merge made it. Empty for callers who may not read merge requests.',
        params: ByCommit,
        querystring: Filter,
        response: { 200: Type.Array(ListedMergeRequest) },
      },
    },
    async (req, reply) => {
      const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const authorized = req.project()
      if (!authorized.can('read_merge_request')) return paginateNothing(req, reply)
      const ids = await mergeRequestsWith(app.db, repository, authorized.container.id, commit.id)
      return listMergeRequests(
        req,
        reply,
        ofProject(req.viewer, authorized),
        byIds(sql`select unnest(${ids}::bigint[]) as id`),
      )
    },
  )
}
