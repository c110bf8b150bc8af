import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, group, project, reads } from '#platform/access/route-access.ts'
import { unauthorized } from '#platform/refusals.ts'
import { ById } from '#platform/http/schema.ts'
import { ListedMergeRequest } from './entity.ts'
import { listMergeRequests } from './list-merge-requests.ts'
import { ofGroup, ofInstance, ofProject } from './listed-merge-requests.ts'
import { GroupFilter, InstanceFilter, ProjectFilter } from './filter-schemas.ts'

const MergeRequests = { 200: Type.Array(ListedMergeRequest) }

/** Lists of merge requests: of a project, of a group and everything below it, of the instance. */
export const mergeRequestListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/merge_requests',
    {
      config: reads(project('read_merge_request'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the merge requests of a project',
        params: ById,
        querystring: ProjectFilter,
        response: MergeRequests,
      },
    },
    (req, reply) => listMergeRequests(req, reply, ofProject(req.viewer, req.project())),
  )

  app.get(
    '/groups/:id/merge_requests',
    {
      config: reads(group('read_merge_request'), { anonymous: true }),
      schema: {
        summary: 'List the merge requests of all projects in a group and its subgroups',
        params: ById,
        querystring: GroupFilter,
        response: MergeRequests,
      },
    },
    (req, reply) => listMergeRequests(req, reply, ofGroup(req.viewer, req.group())),
  )

  app.get(
    '/merge_requests',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List merge requests of all projects',
        description:
          'The merge requests that you created, unless `scope` says otherwise. Without credentials, only `scope=all`.',
        querystring: InstanceFilter,
        response: MergeRequests,
      },
    },
    (req, reply) => {
      if (req.viewer.id === null && req.query.scope !== 'all') throw unauthorized()
      return listMergeRequests(req, reply, ofInstance(req.viewer))
    },
  )
}
