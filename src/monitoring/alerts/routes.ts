import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { conflict, forbidden } from '#platform/refusals.ts'
import { Alert, AlertDetails, presentAlert, presentDetails } from './entity.ts'
import { alertOrder } from './order.ts'
import { AlertChanges, AlertFilter, ByAlert } from './parameters.ts'
import { createIncident } from './incidents.ts'
import { alertsOf, findAlert, lockAlert } from './queries.ts'
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

  app.post(
    `${ONE}/incident`,
    {
      config: writes(project('update_alert')),
      schema: {
        summary: 'Make an incident of an alert',
        description:
          "Forgelet's own. For those who may create issues. The bot of alerts opens it in a moment: then the alert has an `issue_iid`.",
        params: ByAlert,
        refuses: [409],
        response: { 202: AlertDetails },
      },
    },
    async (req) => {
      const { container, can } = req.project()
      const { alert_iid } = req.params
      if (!can('create_issue')) throw forbidden('you may not create issues in this project')
      await req.write(async (tx) => {
        const { id, issue_iid } = await lockAlert(tx, container.id, alert_iid)
        if (issue_iid !== null) throw conflict(`409 Conflict - the alert has the incident #${issue_iid}`)
        await enqueue(tx, createIncident, { alert_id: id })
      })
      return presentDetails(await findAlert(db, container.id, alert_iid), req.site)
    },
  )
}
