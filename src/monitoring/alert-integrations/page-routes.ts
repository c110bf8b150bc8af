import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { authorizeProject } from '#platform/access/authorize.ts'
import { page } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { askAgain, type Problems, typed } from '#platform/pages/forms.ts'
import { answerWithPages, sendPage } from '#platform/pages/page.ts'
import { createIntegration } from './create-integration.ts'
import { makeKey } from './keys.ts'
import { integrationsPage, PAGE, pageOf } from './page.ts'
import { IntegrationForm, OfProject, OneAction } from './parameters.ts'
import { presentIntegrations } from './present.ts'
import { integrationsOf, lockIntegration } from './queries.ts'
import { lockIntegrationsOf } from './settings-of.ts'
import { deleteIntegration, resetKey, updateIntegration } from './update-integration.ts'

/** The most integrations of a project. */
const MAX_INTEGRATIONS = 100

/** The page where Maintainers see the URLs and keys of a project's integrations, and make new ones. */
export const integrationPages: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  answerWithPages(app)

  app.get(PAGE, { config: page('signed in'), schema: { params: OfProject } }, async (req, reply) =>
    show(req, reply, req.params.id),
  )

  app.post(
    PAGE,
    {
      config: page('signed in'),
      schema: { params: OfProject, body: IntegrationForm },
      errorHandler: askAgain((req, reply, problems) => show(req, reply, idIn(req), problems)),
    },
    async (req, reply) => {
      const { container } = await authorized(req, req.params.id)
      const { name, type, preset } = req.body
      const given = { name, type, preset: preset === '' ? null : preset, active: true, mapping: {} }
      const made = { key: await makeKey(services), plan: services.currentPlan() }
      await req.write((tx) => createIntegration(tx, container, { ...given, sample_payload: null }, made))
      return reply.redirect(pageOf(container.id), 303)
    },
  )

  app.post(
    `${PAGE}/:integration_id/:action`,
    { config: page('signed in'), schema: { params: OneAction } },
    async (req, reply) => {
      const { container } = await authorized(req, req.params.id)
      const { action, integration_id } = req.params
      const key = await makeKey(services)
      await req.write(async (tx) => {
        await lockIntegrationsOf(tx, container.id)
        const row = await lockIntegration(tx, container.id, integration_id)
        if (action === 'delete') await deleteIntegration(tx, row, container.namespace_id)
        else if (action === 'reset') await resetKey(tx, row, container.namespace_id, key)
        else await updateIntegration(tx, row, container.namespace_id, { active: action === 'activate' })
      })
      return reply.redirect(pageOf(container.id), 303)
    },
  )
}

/** @throws 404 for a project that the visitor may not read, 403 where they are no Maintainers */
const authorized = ({ server, viewer }: FastifyRequest, id: number) =>
  authorizeProject(server.db, viewer, String(id), 'admin_alert_integration')

function idIn({ params }: FastifyRequest): number {
  if (typeof params === 'object' && params !== null && 'id' in params) return Number(params.id)
  throw notFound()
}

async function show(
  req: FastifyRequest,
  reply: FastifyReply,
  id: number,
  problems: Problems = {},
): Promise<FastifyReply> {
  const { container: project } = await authorized(req, id)
  const rows = await integrationsOf(req.server.db, project.id)
    .orderBy('i.id')
    .limit(MAX_INTEGRATIONS)
    .execute()
  const integrations = await presentIntegrations(req.server.services, rows, {
    project,
    site: req.site,
    isTrusted: true,
  })
  const body = integrationsPage(req, {
    project,
    integrations,
    mapped: req.server.services.currentPlan() !== 'free',
    problems,
    name: typed(req, 'name'),
  })
  return sendPage(req, reply, { title: 'Alert integrations', body })
}
