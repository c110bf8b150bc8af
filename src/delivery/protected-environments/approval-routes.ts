import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, writes } from '#platform/access/route-access.ts'
import { ById, integer, oneOf, text } from '#platform/http/schema.ts'
import { DeploymentApproval, presentApproval } from './approval-fields.ts'
import { approve, type Approver } from './approve.ts'
import { tier } from './tier.ts'

const ByDeployment = Type.Object({ ...ById.properties, deployment_id: integer() })

const NewApproval = Type.Object({
  status: oneOf(['approved', 'rejected']),
  comment: Type.Optional(text({ description: 'Why.' })),
  represented_as: Type.Optional(
    text({
      description:
        'For whom you approve, if several rules mean you: the name of the user, group or level. By default, the first one.',
    }),
  ),
})

/** Approving deployments that wait. */
export const approvalRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/projects/:id/deployments/:deployment_id/approval',
    {
      config: writes(project('approve_deployment'), { tier, jobToken: true }),
      schema: {
        summary: 'Approve or reject a deployment that waits',
        description:
          'For those whom an approval rule of the environment means. The last approval that is lacking lets the deployment go on; a rejection ends it.',
        params: ByDeployment,
        body: NewApproval,
        refuses: [400],
        response: { 201: DeploymentApproval },
      },
    },
    async (req) => {
      const approver = approverOf(req)
      const given = await req.write((tx) => approve(tx, approver, req.params.deployment_id, req.body))
      return presentApproval(given, req.site)
    },
  )
}

const approverOf = (req: FastifyRequest): Approver => ({
  id: req.user().id,
  viewer: req.viewer,
  services: req.server.services,
  project: req.project().container,
})
