import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { integer, MAX_INT4, oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { alertList } from './alert-list.ts'
import { alertPage } from './alert-page.ts'
import { errorDetails, errorList } from './errors.ts'
import { incidentList, incidentStates } from './incidents.ts'

const params = Type.Object(OfProject)
const ByNumber = Type.Object({ ...OfProject, number: integer({ minimum: 1, maximum: MAX_INT4 }) })
const Paged = Type.Object({ page: pageNumber })
const word = Type.Optional(text({ max: 64 }))
const AlertFilter = Type.Object({
  status: word,
  severity: word,
  search: Type.Optional(text()),
  page: pageNumber,
})
const ErrorFilter = Type.Object({ status: word, query: Type.Optional(text()), page: pageNumber })
const IncidentFilter = Type.Object({ state: Type.Optional(oneOf(incidentStates)), page: pageNumber })

/** What running programs report: alerts, incidents, errors. */
export const monitoringPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/alert_management`,
    { config, schema: { params, querystring: AlertFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await alertList(api, project, req.query))
    },
  )

  const one = { config, schema: { params: ByNumber, querystring: Paged } }
  app.get(`${PROJECT}/alert_management/:number/details`, one, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, await alertPage(api, project, req.params.number, req.query.page))
  })

  app.get(
    `${PROJECT}/incidents`,
    { config, schema: { params, querystring: IncidentFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await incidentList(api, project, req.query))
    },
  )

  app.get(
    `${PROJECT}/error_tracking`,
    { config, schema: { params, querystring: ErrorFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await errorList(api, project, req.query))
    },
  )

  app.get(`${PROJECT}/error_tracking/:number/details`, one, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, await errorDetails(api, project, req.params.number))
  })
}
