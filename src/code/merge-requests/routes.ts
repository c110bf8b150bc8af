import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { changeMergeRequest } from './change-merge-request.ts'
import { deleteMergeRequest } from './delete-merge-request.ts'
import { MergeRequestSingle } from './entity.ts'
import { recheck } from './merge/recheck.ts'
import { extrasOf, SingleOptions } from './merge/single-options.ts'
import { openMergeRequest } from './open-merge-request.ts'
import { ByMergeRequest, MergeRequestChanges, NewMergeRequest } from './parameters.ts'
import { presentOne } from './present-one.ts'
import { findMergeRequest, lockMergeRequest } from './queries.ts'

/** Routes for single merge requests of a project. */
export const mergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/merge_requests/:merge_request_iid',
    {
      config: reads(project('read_merge_request'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get a merge request',
        description:
          'Asks for a check whether it can be merged, if its branches have changed since the last one.',
        params: ByMergeRequest,
        querystring: SingleOptions,
        response: { 200: MergeRequestSingle },
      },
    },
    async (req) => {
      const { merge_request_iid } = req.params
      const found = await findMergeRequest(app.db, req.viewer, req.project(), merge_request_iid)
      const [row = found] = await recheck(app.services, [found])
      return { ...(await presentOne(req, row)), ...(await extrasOf(req, row, req.query)) }
    },
  )

  app.post(
    '/projects/:id/merge_requests',
    {
      config: writes(project('push_code')),
      schema: {
        summary: 'Open a merge request',
        description:
          'The project in the path has the source branch. Only members of the target project from Developer on can set ' +
          'labels, assignees, reviewers and the milestone; from others, the server ignores them.',
        params: ById,
        body: NewMergeRequest,
        refuses: [409, 422],
        response: { 201: MergeRequestSingle },
      },
    },
    (req) => openMergeRequest(req, req.body),
  )

  app.put(
    '/projects/:id/merge_requests/:merge_request_iid',
    {
      config: writes(project('edit_merge_request')),
      schema: {
        summary: 'Change a merge request',
        description:
          'The author and the assignees may change the title, description and branches, close and reopen. Everything else ' +
          'needs the role Developer; from others, the server ignores it.',
        params: ByMergeRequest,
        body: MergeRequestChanges,
        refuses: [409, 412, 422],
        response: { 200: MergeRequestSingle },
      },
    },
    async (req) => presentOne(req, await changeMergeRequest(req, req.params.merge_request_iid, req.body)),
  )

  app.delete(
    '/projects/:id/merge_requests/:merge_request_iid',
    {
      config: writes(project('delete_merge_request')),
      schema: {
        summary: 'Delete a merge request',
        params: ByMergeRequest,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const { viewer, params } = req
        const found = await lockMergeRequest(tx, viewer, req.project(), params.merge_request_iid, 'deletion')
        assertUnmodified(req, found.updated_at)
        await deleteMergeRequest(tx, found)
      })
    },
  )
}
