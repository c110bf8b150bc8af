import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { anyone, group, reads, writes } from '#platform/access/route-access.ts'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { detailAfter } from '#tenancy/groups/detail-after.ts'
import { ById, idOrPath } from '#platform/http/schema.ts'
import { assertUserPage } from '#identity/users/policy.ts'
import { findUserBy } from '#identity/users/queries.ts'
import { openDestination } from './destination.ts'
import { eitherProjectEntity } from './entity.ts'
import { listProjects } from './list-projects.ts'
import { GroupProjectFilter, ProjectFilter } from './parameters.ts'
import {
  contributedBy,
  inGroup,
  mayReadProfile,
  none,
  personalOf,
  sharedWith,
  starredBy,
} from './list/sources.ts'
import { transferProject } from './transfer-project.ts'

const ByUser = Type.Object({ user_id: idOrPath({ description: 'The id or the username.' }) })

/** Lists of a group's or a user's projects. */
export const projectListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const answers = { 200: Type.Array(eitherProjectEntity()) }

  app.get(
    '/groups/:id/projects',
    {
      config: reads(group('read_group'), { anonymous: true }),
      schema: {
        summary: 'List the projects of a group',
        params: ById,
        querystring: GroupProjectFilter,
        response: answers,
      },
    },
    (req, reply) => {
      const among = inGroup(req.group().container, req.query, req.viewer.today)
      return listProjects(req, reply, { among, full: true })
    },
  )

  app.get(
    '/groups/:id/projects/shared',
    {
      config: reads(group('read_group'), { anonymous: true }),
      schema: {
        summary: 'List the projects that are shared with a group',
        params: ById,
        querystring: ProjectFilter,
        response: answers,
      },
    },
    (req, reply) => {
      const among = sharedWith(req.group().container.id, req.viewer.today)
      return listProjects(req, reply, { among, full: true })
    },
  )

  app.post(
    '/groups/:id/projects/:project_id',
    {
      config: writes(group('import_project')),
      schema: {
        summary: 'Transfer a project to a group',
        params: Type.Object({ ...ById.properties, project_id: idOrPath() }),
        response: { 201: groupDetailEntity() },
      },
    },
    async (req) => {
      const { id } = req.group().container
      return req.write(async (tx) => {
        const { container } = await authorizeNamedProject(
          tx.db,
          req.viewer,
          req.params.project_id,
          'transfer_project',
        )
        const destination = await openDestination(tx, req.viewer, String(id))
        await transferProject(tx, container.namespace_id, destination)
        return detailAfter(req, tx, id)
      })
    },
  )

  app.get(
    '/users/:user_id/projects',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List the personal projects of a user',
        params: ByUser,
        querystring: ProjectFilter,
        response: answers,
      },
    },
    async (req, reply) => {
      const user = await shownUser(req, req.params.user_id)
      return listProjects(req, reply, { among: personalOf(user.id) })
    },
  )

  app.get(
    '/users/:user_id/starred_projects',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List the projects that a user starred',
        params: ByUser,
        querystring: ProjectFilter,
        response: answers,
      },
    },
    async (req, reply) => {
      const user = await shownUser(req, req.params.user_id)
      const seen = mayReadProfile(user, req.viewer)
      return listProjects(req, reply, { among: seen ? starredBy(user.id) : none })
    },
  )

  app.get(
    '/users/:user_id/contributed_projects',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List the projects that a user worked on in the last year',
        params: ByUser,
        querystring: ProjectFilter,
        response: answers,
      },
    },
    async (req, reply) => {
      const user = await shownUser(req, req.params.user_id)
      const seen = mayReadProfile(user, req.viewer)
      return listProjects(req, reply, { among: seen ? contributedBy(user.id, req.viewer.today) : none })
    },
  )
}

/** @throws 404 `User Not Found` */
async function shownUser(req: FastifyRequest, idOrUsername: string) {
  const { db, services } = req.server
  assertUserPage(req.viewer, services.settings())
  return findUserBy(db, idOrUsername)
}
