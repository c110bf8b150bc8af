import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { contains } from '#platform/db/search.ts'
import { GroupIdentity, presentGroupIdentity } from '#tenancy/groups/entity.ts'
import { groupsFor, offeredOrder, projectLocationsFor } from '#tenancy/groups/queries.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { projectAfter } from './after.ts'
import { archiveProject } from './archive-project.ts'
import { openDestination } from './destination.ts'
import { projectEntity } from './entity.ts'
import { Search, Transfer } from './parameters.ts'
import { starProject, unstarProject } from './star-project.ts'
import { transferProject } from './transfer-project.ts'

/** Actions on a project as a whole: archiving, starring, moving. */
export const projectActionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const [verb, archived] of [
    ['archive', true],
    ['unarchive', false],
  ] as const) {
    app.post(
      `/projects/:id/${verb}`,
      {
        config: writes(project('archive_project')),
        schema: {
          summary: archived ? 'Make a project read-only' : 'Make an archived project writable again',
          params: ById,
          response: { 201: projectEntity() },
        },
      },
      async (req) => {
        const { container } = req.project()
        return req.write(async (tx) => {
          await archiveProject(tx, container, archived)
          return projectAfter(req, tx, container.id)
        })
      },
    )
  }

  for (const [verb, act] of [
    ['star', starProject],
    ['unstar', unstarProject],
  ] as const) {
    app.post(
      `/projects/:id/${verb}`,
      {
        config: writes(project('star_project')),
        schema: {
          summary: verb === 'star' ? 'Star a project' : 'Unstar a project',
          params: ById,
          response: { 201: projectEntity(), 304: NoContent },
        },
      },
      async (req, reply) => {
        const { container } = req.project()
        const answer = await req.write(async (tx) => {
          const changed = await act(tx, container, req.user().id)
          return changed ? projectAfter(req, tx, container.id) : undefined
        })
        return answer === undefined ? reply.code(304).send() : answer
      },
    )
  }

  app.put(
    '/projects/:id/transfer',
    {
      config: writes(project('transfer_project')),
      schema: {
        summary: 'Transfer a project to another namespace',
        params: ById,
        body: Transfer,
        response: { 200: projectEntity() },
      },
    },
    async (req) => {
      const { container } = req.project()
      return req.write(async (tx) => {
        const destination = await openDestination(tx, req.viewer, req.body.namespace)
        await transferProject(tx, container.namespace_id, destination)
        return projectAfter(req, tx, container.id)
      })
    },
  )

  app.get(
    '/projects/:id/transfer_locations',
    {
      config: reads(project('transfer_project')),
      schema: {
        summary: 'List the groups that a project can be transferred to',
        params: ById,
        querystring: Search,
        response: { 200: Type.Array(GroupIdentity) },
      },
    },
    async (req, reply) => {
      const { search = '' } = req.query
      const groups = projectLocationsFor(groupsFor(db, req.viewer), req.project().container, req.viewer)
      const found = groups.$if(search !== '', (q) => q.where(contains(['n.name', 'n.path'], search)))
      const rows = await paginate(req, reply, found, offeredOrder)
      return rows.map((row) => presentGroupIdentity(row, req.site))
    },
  )
}
