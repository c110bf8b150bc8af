import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { createApplication } from './create-application.ts'
import { deleteApplication } from './delete-application.ts'
import { Application, ApplicationWithSecret, presentApplication, presentFreshApplication } from './entity.ts'
import { ApplicationFilter, ByApplication, NewApplication } from './parameters.ts'
import { applicationOrder, applicationsIn, findApplication } from './queries.ts'
import { renewSecret } from './renew-secret.ts'

/** The OAuth applications of the instance, for administrators. */
export const applicationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/applications',
    {
      config: reads(admin),
      schema: {
        summary: 'List the OAuth applications',
        description: 'Applications of the instance, and applications that people registered for themselves.',
        querystring: ApplicationFilter,
        response: { 200: Type.Array(Application) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, applicationsIn(db), applicationOrder)
      return rows.map(presentApplication)
    },
  )

  app.post(
    '/applications',
    {
      config: writes(admin),
      schema: {
        summary: 'Create an OAuth application of the instance',
        body: NewApplication,
        response: { 201: ApplicationWithSecret },
      },
    },
    async (req) => {
      const application = await req.write((tx) => createApplication(tx, req.body, null))
      return presentFreshApplication(application)
    },
  )

  app.delete(
    '/applications/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete an OAuth application',
        description: 'Revokes all of its tokens.',
        params: ByApplication,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const application = await findApplication(applicationsIn(tx.db), req.params.id)
        assertUnmodified(req, application.updated_at)
        await deleteApplication(tx, application)
      })
    },
  )

  app.post(
    '/applications/:id/renew-secret',
    {
      config: writes(admin),
      schema: {
        summary: 'Renew the secret of an OAuth application',
        description: 'The old secret stops working at the same moment.',
        params: ByApplication,
        response: { 201: ApplicationWithSecret },
      },
    },
    async (req) => {
      const application = await req.write(async (tx) =>
        renewSecret(tx, await findApplication(applicationsIn(tx.db), req.params.id)),
      )
      return presentFreshApplication(application)
    },
  )
}
