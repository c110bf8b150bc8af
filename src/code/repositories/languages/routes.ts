import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { requestedCommit, requestedRepository } from '../requested.ts'
import { languagesOf } from './languages.ts'

/** The route for the languages of a project. */
export const languageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/languages',
    {
      config: reads(project('download_code'), { anonymous: true }),
      schema: {
        summary: 'Get the programming languages of a project, with percentages',
        description: 'They are told by the names and sizes of the files on the default branch.',
        params: ById,
        response: { 200: Type.Record(Type.String(), Type.Number()) },
      },
    },
    async (req) => {
      const repository = await requestedRepository(req)
      const commit = await requestedCommit(repository, undefined)
      return repository && commit ? languagesOf(repository, commit) : {}
    },
  )
}
