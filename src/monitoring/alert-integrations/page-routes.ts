import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { authorizeProject } from '#platform/access/authorize.ts'
import { page } from '#platform/access/route-access.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PAGE } from './page.ts'
import { OfProject } from './parameters.ts'

/** Where the page with the integrations of a project was: what linked to it leads on. */
export const integrationPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(PAGE, { config: page('signed in'), schema: { params: OfProject } }, async (req, reply) => {
    const { container } = await authorizeProject(
      app.services.db,
      req.viewer,
      String(req.params.id),
      'admin_alert_integration',
    )
    return reply.redirect(`/${container.full_path}/-/settings/operations`, 303)
  })
}
