import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { Alert, AlertDetails, presentAlert, presentDetails } from './entity.ts'
import { alertOrder } from './order.ts'
import { AlertChanges, AlertFilter, ByAlert } from './parameters.ts'
import { alertsOf, findAlert } from './queries.ts'
import { updateAlert } from './update-alert.ts'

const COLLECTION = '/projects/:id/alert_management_alerts'
const ONE = `${COLLECTION}/:alert_iid`

/** The alerts of a project. */
export const alertRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    COLLECTION,
    {
      config: reads(project('read_alert')),
      schema: {
        summary: 'List the alerts of a project',
        description: 'Newest first, without payloads.',
        params: ById,
        querystring: AlertFilter,
        response: { 200: Type.Array(Alert) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, alertsOf(db, req.project().container.id, req.query), alertOrder)
      return rows.map((row) => presentAlert(row, req.site))
    },
  )

  app.get(
    ONE,
    {
      config: reads(project('read_alert')),
      schema: {
        summary: 'Get an alert of a project',
        description: 'With its payload.',
        params: ByAlert,
        response: { 200: AlertDetails },
      },
    },
    async (req) =>
      presentDetails(await findAlert(db, req.project().container.id, req.params.alert_iid), req.site),
  )

  app.put(
    ONE,
    {
      config: writes(project('update_alert')),
      schema: {
        summary: 'Acknowledge, resolve, ignore or assign an alert',
        params: ByAlert,
        body: AlertChanges,
        refuses: [409],
        response: { 200: AlertDetails },
      },
    },
    async (req) => {
      const { alert_iid } = req.params
      await req.write((tx) => updateAlert(tx, req.project(), alert_iid, req.body))
      return presentDetails(await findAlert(db, req.project().container.id, alert_iid), req.site)
    },
  )
}
