import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AlertIntegration, AlertSettings } from '#monitoring/alert-integrations/entity.ts'
import { ClientKey, ErrorTracking } from '#monitoring/error-tracking/entity.ts'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { PROJECT } from '../frame/addresses.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { ListParts } from '../frame/list-parts.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { alertSettings, integrationActions, integrations } from './integrations.ts'
import { errorTracking, errorTrackingActions } from './tracking.ts'

const HERE = 'settings/operations'

/** Integrations and keys of a project that the page shows at once. */
const MOST = { per_page: 50 }

/** What programs report to a project, and who is told. */
export const monitoringSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/${HERE}`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({ integrations: pageNumber, client_keys: pageNumber }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const lists = new ListParts(api, pageOf(project, HERE), query)
      const [rights, receivers, settings, tracking, keys] = await Promise.all([
        rightsIn(api, address),
        lists.list('integrations', AlertIntegration, `${address}/alert_management/integrations`, MOST),
        api.get(AlertSettings, `${address}/alert_management/settings`),
        api.find(ErrorTracking, `${address}/error_tracking/settings`),
        lists.findList('client_keys', ClientKey, `${address}/error_tracking/client_keys`, MOST),
      ])
      if (!rights.may('read_error_tracking')) throw notFound()
      return {
        title: `Monitoring · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Monitoring'),
        body: html`<h1>Monitoring</h1>
          ${integrations(forms, receivers, { rights, mapped: request.server.services.currentPlan() !== 'free' })}
          ${alertSettings(forms, settings, rights)} ${errorTracking(forms, tracking, keys, rights)}`,
      }
    },
    async actions({ request, api, params }) {
      const { id } = await projectOf(api, request, params.project)
      const address = path`/projects/${id}`
      return { ...integrationActions(address), ...errorTrackingActions(address) }
    },
  })
}
