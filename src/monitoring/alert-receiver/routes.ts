import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { digestOf } from '#platform/access/digest.ts'
import { outside, project, writes } from '#platform/access/route-access.ts'
import { raw } from '#platform/http/body-kind.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { entity, integer } from '#platform/http/schema.ts'
import { authorizeReport, readReports } from './accept.ts'
import { sentKey } from './credentials.ts'
import { decompress } from './decompress.ts'
import { ByWay, MAX_PAYLOAD, TestAlert, ToTest } from './parameters.ts'
import { RECEIVER } from './paths.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import type { ReceivingIntegration, ReceivingProject } from './look-up.ts'
import type { PayloadKind } from './payload/report.ts'

/** Where monitoring tools send what they report. */
export const receiverPages: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const receiver = openReceiver(services)

  app.post(
    `${RECEIVER}/:way`,
    { config: { ...outside, ...raw(MAX_PAYLOAD) }, schema: { params: ByWay } },
    async (req, reply) => {
      const { project: path, way } = req.params
      const identifier = /^[0-9a-f]{16}$/.test(way) ? way : undefined
      const key = sentKey(req.headers.authorization)
      const proof = key === undefined ? undefined : digestOf(key)
      const { found, integration } = await services.failedAuthentications.watch(req.ip, proof, async () => {
        const found = key === undefined ? undefined : await receiver.find(path)
        return { found, integration: authorizeReport(found, identifier, key) }
      })
      if (found === undefined) throw notFound()
      await countRequest(req, found.projectId)
      return reply.send(
        await report(req, receiver, found, integration, {
          body: await decompress(await req.bodyBytes().all(), req.headers['content-encoding']),
          ...(way === 'prometheus' && { asked: 'prometheus' }),
        }),
      )
    },
  )
}

const TEST_TITLE = 'Test alert'
const CreatedAlert = entity('CreatedAlert', { iid: integer(), title: Type.String() })

/** Sending an alert to try an integration. */
export const testAlertRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const receiver = openReceiver(services)

  app.post(
    '/projects/:id/alert_management/integrations/:integration_id/test',
    {
      config: writes(project('test_alert_integration')),
      schema: {
        summary: 'Send a test alert to an integration',
        description: 'It does what a payload of a monitoring tool does, and answers the same.',
        params: ToTest,
        body: TestAlert,
        refuses: [400, 422],
        response: { 200: Type.Array(CreatedAlert) },
      },
    },
    async (req) => {
      const { container } = req.project()
      const found = await receiver.find(container.full_path)
      const integration = found?.integrations.find(({ id }) => id === req.params.integration_id)
      if (found === undefined || integration === undefined) throw notFound('Alert Integration')
      if (!integration.active) throw forbidden('the alert integration is not active')
      const now = services.clock.now().toISOString()
      const { payload = integration.type === 'prometheus' ? sampleOfMetrics(now) : { title: TEST_TITLE } } =
        req.body
      return report(req, receiver, found, integration, {
        body: typeof payload === 'string' ? payload : JSON.stringify(payload),
      })
    },
  )
}

/** @throws 429 past what the settings allow a project */
async function countRequest({ server }: FastifyRequest, projectId: number): Promise<void> {
  const { settings, limits } = server.services
  const {
    throttle_incident_management_notification_enabled: isLimited,
    throttle_incident_management_notification_per_period: points,
    throttle_incident_management_notification_period_in_seconds: seconds,
  } = settings()
  if (isLimited)
    await limits.take('throttle_incident_management_notification', projectId, { points, seconds })
}

interface ReportBody {
  readonly body: Buffer | string
  readonly asked?: PayloadKind
}

async function report(
  { server }: FastifyRequest,
  receiver: Receiver,
  found: ReceivingProject,
  integration: ReceivingIntegration,
  sent: ReportBody,
) {
  const now = server.services.clock.now().toISOString()
  const reports = readReports(server.services, found, integration, { ...sent, now })
  if (reports.length === 0) return []
  return [
    ...(await receiver.take(
      found,
      reports.map((one) => ({ report: one, integrationId: integration.id })),
    )),
  ]
}

/** A payload of the metrics format. */
function sampleOfMetrics(now: string) {
  const labels = { alertname: TEST_TITLE, severity: 'info' }
  return {
    version: '4',
    groupKey: '{}:{}',
    status: 'firing',
    receiver: 'forgelet',
    groupLabels: {},
    commonLabels: labels,
    commonAnnotations: {},
    externalURL: '',
    alerts: [{ status: 'firing', labels, annotations: {}, startsAt: now }],
  }
}
