import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { oneOf } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { environmentList, environmentStates } from './environment-list.ts'

const Filter = Type.Object({ states: Type.Optional(oneOf(environmentStates)), page: pageNumber })

/** The list of environments. */
export const environmentPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/environments`,
    { config, schema: { params: Type.Object(OfProject), querystring: Filter } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await environmentList(api, project, req.query))
    },
  )
}
