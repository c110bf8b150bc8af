import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { ProjectFilter } from '#code/merge-requests/list/filter-schemas.ts'
import { listMergeRequests } from '#code/merge-requests/list/list-merge-requests.ts'
import { ofProject } from '#code/merge-requests/list/listed-merge-requests.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { deployedWith } from './deployed-merge-requests.ts'
import { ByDeployment } from './parameters.ts'
import { findDeployment } from './queries.ts'

/** The merge requests that came to an environment with a deployment, as far as the caller may read them. */
export const deploymentMergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/deployments/:deployment_id/merge_requests',
    {
      config: reads(project('read_deployment'), { jobToken: true }),
      schema: {
        summary: 'List the merge requests that came with a deployment',
        description:
          'Those that were merged since the deployment before it in the same environment that succeeded; of the first one, all that were merged into its branch. They are found some moments after the deployment has succeeded.',
        params: ByDeployment,
        querystring: ProjectFilter,
        response: { 200: Type.Array(ListedMergeRequest) },
      },
    },
    async (req, reply) => {
      const authorized = req.project()
      const { id } = await findDeployment(app.db, authorized.container.id, req.params.deployment_id)
      if (!authorized.can('read_merge_request')) return paginateNothing(req, reply)
      return listMergeRequests(req, reply, ofProject(req.viewer, authorized), deployedWith(id))
    },
  )
}
