import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { integer, MAX_INT4, oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { alertNoteable } from '#monitoring/alerts/noteable.ts'
import { asks } from '../frame/action.ts'
import { Api, path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { talkActions, TalkQuery } from '../items/talk.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { alertList } from './alert-list.ts'
import { alertPage, alertSteps } from './alert-page.ts'
import { emptyAsNull, withoutEmpty } from '../settings/common-fields.ts'
import { errorDetails, errorList, errorSteps } from './errors.ts'
import { incidentList, incidentStates } from './incidents.ts'

const params = Type.Object(OfProject)
const ByNumber = Type.Object({ ...OfProject, number: integer({ minimum: 1, maximum: MAX_INT4 }) })
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

  formPage(app, `${PROJECT}/alert_management/:number/details`, {
    params: ByNumber,
    querystring: TalkQuery,
    async show(visit) {
      const project = await projectOf(visit.api, visit.request, visit.params.project)
      return alertPage(visit, project, visit.params.number)
    },
    async actions({ request, api, params: { project: named, number }, query }) {
      const project = await projectOf(api, request, named)
      const alert = path`/projects/${project.id}/alert_management_alerts/${number}`
      const here = pageOf(project, `alert_management/${number}/details`)
      const me = request.identity?.user.id
      const changes = (also: object, says: string) => () =>
        asks({ method: 'PUT', path: alert, also: { ...also }, says })
      const steps = Object.entries(alertSteps).map(
        ([status, [, says]]) => [status, changes({ status }, says)] as const,
      )
      return {
        ...talkActions(me, alertNoteable, alert, { here, page: query.page }),
        ...Object.fromEntries(steps),
        incident: () =>
          asks({
            method: 'POST',
            path: `${alert}/incident`,
            says: 'The incident is being opened. It is here in a moment.',
          }),
        take: changes({ assignee_ids: [me] }, 'The alert is yours.'),
      }
    },
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

  formPage(app, `${PROJECT}/error_tracking/:number/details`, {
    params: ByNumber,
    querystring: Type.Object({}),
    async show({ request, api, forms, params: { project: named, number } }) {
      return errorDetails(api, forms, await projectOf(api, request, named), number)
    },
    async actions({ request, api, params: { project: named, number } }) {
      const { id } = await projectOf(api, request, named)
      const error = { method: 'PUT', path: path`/projects/${id}/error_tracking/errors/${number}` } as const
      const steps = Object.entries(errorSteps).map(
        ([status, says]) =>
          [
            status,
            () => withoutEmpty(asks({ ...error, also: { status }, says }), 'resolved_in_release'),
          ] as const,
      )
      return {
        ...Object.fromEntries(steps),
        link: () => emptyAsNull(asks({ ...error, says: 'What it is linked to is changed.' }), 'issue_iid'),
      }
    },
  })
}
