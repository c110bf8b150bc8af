import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginateRows } from '#platform/http/pagination.ts'
import { ById, oneOf, text } from '#platform/http/schema.ts'
import { MAX_NAME } from '../limits.ts'
import { ContributorEntity } from './entity.ts'
import { requestedCommit, requestedRepository } from '../requested.ts'
import { listContributors } from './contributors.ts'

const ContributorFilter = Type.Object({
  ...pageParameters,
  ref: Type.Optional(
    text({ max: MAX_NAME, description: 'A branch, a tag or an id; by default the default branch.' }),
  ),
  order_by: Type.Optional(oneOf(['name', 'email', 'commits'], { description: '`commits` by default.' })),
  sort: Type.Optional(oneOf(['asc', 'desc'], { description: '`asc` by default.' })),
})

/** The route for who wrote a repository. */
export const contributorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/contributors',
    {
      config: reads(project('download_code'), { anonymous: true }),
      schema: {
        summary: 'List who wrote the commits of a repository',
        description: 'Merges do not count.',
        params: ById,
        querystring: ContributorFilter,
        response: { 200: Type.Array(ContributorEntity) },
      },
    },
    async (req, reply) => {
      const { ref = '', order_by = 'commits', sort = 'asc' } = req.query
      const repository = await requestedRepository(req)
      const commit = await requestedCommit(repository, ref)
      if (commit === undefined && ref !== '') throw notFound()
      const all = repository && commit ? await listContributors(repository, commit, order_by, sort) : []
      const rows = await paginateRows(req, reply, all)
      return rows.map((row) => ({ ...row, additions: 0, deletions: 0 }))
    },
  )
}
