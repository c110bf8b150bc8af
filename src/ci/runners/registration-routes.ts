import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { admin, group, project, writes } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { ResetToken } from './entity.ts'
import { resetRegistrationToken } from './registration.ts'

/** New registration tokens of the instance, of groups and of projects. */
export const registrationTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const description = 'The one before ends at once. The answer is the only place that shows the token.'
  const response = { 201: ResetToken }

  const reset = async (req: FastifyRequest, namespace: number | null) => {
    const token = await req.write((tx) => resetRegistrationToken(tx, namespace))
    return { token, token_expires_at: null }
  }

  app.post(
    '/runners/reset_registration_token',
    {
      config: writes(admin),
      schema: {
        summary: 'Reset the registration token of the instance',
        description,
        deprecated: { since: '2022-11-22', successor: '`POST /user/runners`' },
        response,
      },
    },
    (req) => reset(req, null),
  )

  app.post(
    '/projects/:id/runners/reset_registration_token',
    {
      config: writes(project('admin_project_runner')),
      schema: {
        summary: 'Reset the registration token of a project',
        description,
        deprecated: { since: '2022-11-22', successor: '`POST /user/runners`' },
        params: ById,
        response,
      },
    },
    (req) => reset(req, req.project().container.namespace_id),
  )

  app.post(
    '/groups/:id/runners/reset_registration_token',
    {
      config: writes(group('admin_group_runner')),
      schema: {
        summary: 'Reset the registration token of a group',
        description,
        deprecated: { since: '2022-11-22', successor: '`POST /user/runners`' },
        params: ById,
        response,
      },
    },
    (req) => reset(req, req.group().container.id),
  )
}
