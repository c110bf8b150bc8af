import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, project, reads, writes } from '#platform/access/route-access.ts'
import { withStoredAvatar } from '#identity/avatars/store-avatar.ts'
import { badRequest } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, integer, Message } from '#platform/http/schema.ts'
import { projectAfter } from './after.ts'
import { projectAbilities } from '../abilities/names.ts'
import { audienceOf } from './audience.ts'
import { deleteProject } from './delete-project.ts'
import { eitherProjectEntity, projectEntity } from './entity.ts'
import { checkFurther } from './further-parameters.ts'
import { listProjects } from './list-projects.ts'
import { findProject } from './list/read.ts'
import { lockProject } from './lock-project.ts'
import {
  Deletion,
  Detail,
  newProject,
  newProjectOfUser,
  projectChanges,
  ProjectFilter,
} from './parameters.ts'
import { presentProject, presentSimpleProject } from './present-projects.ts'
import { findRequester, requestProject } from './request-project.ts'
import { updateProject } from './update-project.ts'

/** Routes for projects; action-routes.ts has the actions on them, people-routes.ts the people in them. */
export const projectRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/projects',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List the projects that the caller may see',
        querystring: ProjectFilter,
        response: { 200: Type.Array(eitherProjectEntity()) },
      },
    },
    (req, reply) => listProjects(req, reply),
  )

  app.get(
    '/projects/:id',
    {
      config: reads(project('read_project'), { anonymous: true }),
      schema: {
        summary: 'Get a project',
        params: ById,
        querystring: Detail,
        response: { 200: eitherProjectEntity() },
      },
    },
    async (req) => {
      const { viewer, query } = req
      const { container, accessContext } = req.project()
      const row = await findProject(db, viewer, container.id)
      const abilities = query.with_abilities ? { abilities: projectAbilities(accessContext) } : {}
      if (viewer.id === null) return { ...presentSimpleProject(row, audienceOf(req), query), ...abilities }
      return { ...presentProject(row, audienceOf(req), { ...query, permissions: true }), ...abilities }
    },
  )

  app.post(
    '/projects',
    {
      config: writes(anyone),
      schema: { summary: 'Create a project', body: newProject(), response: { 201: projectEntity() } },
    },
    async (req) => {
      const requester = { viewer: { ...req.viewer, id: req.user().id }, policy: services.settings() }
      await checkFurther('creation', req, req.body)
      const wishes = await withStoredAvatar(services, req.body)
      return req.write(async (tx) => {
        const { id } = await requestProject(tx, requester, wishes)
        return projectAfter(req, tx, id, { permissions: true })
      })
    },
  )

  app.post(
    '/projects/user/:user_id',
    {
      config: writes(admin),
      schema: {
        summary: 'Create a project for a user',
        params: Type.Object({ user_id: integer() }),
        body: newProjectOfUser(),
        response: { 201: projectEntity() },
      },
    },
    async (req) => {
      await checkFurther('creation', req, req.body)
      const wishes = await withStoredAvatar(services, req.body)
      return req.write(async (tx) => {
        const viewer = await findRequester(tx, req.params.user_id, req.viewer.today)
        const { id } = await requestProject(tx, { viewer, policy: services.settings() }, wishes)
        return projectAfter(req, tx, id, { permissions: true })
      })
    },
  )

  app.put(
    '/projects/:id',
    {
      config: writes(project('update_project')),
      schema: {
        summary: 'Change a project',
        params: ById,
        body: projectChanges(),
        refuses: [412],
        response: { 200: projectEntity() },
      },
    },
    async (req) => {
      const authorized = req.project()
      const by = { viewer: req.viewer, policy: services.settings() }
      await checkFurther('changes', req, req.body)
      const changes = await withStoredAvatar(services, req.body)
      return req.write(async (tx) => {
        const locked = await lockProject(tx, authorized.container.namespace_id)
        assertUnmodified(req, locked.node.updated_at)
        await updateProject(tx, authorized, locked, changes, by)
        return projectAfter(req, tx, locked.id)
      })
    },
  )

  app.delete(
    '/projects/:id',
    {
      config: writes(project('delete_project')),
      schema: {
        summary: 'Delete a project with everything in it',
        params: ById,
        querystring: Deletion,
        refuses: [412],
        response: { 202: Message },
      },
    },
    async (req) => {
      const { full_path, permanently_remove } = req.query
      await req.write(async (tx) => {
        const project = await lockProject(tx, req.project().container.namespace_id)
        assertUnmodified(req, project.node.updated_at)
        if (full_path === undefined ? permanently_remove : full_path !== project.node.full_path) {
          throw badRequest('full_path is not the path of the project')
        }
        await deleteProject(tx, project)
      })
      return { message: '202 Accepted' }
    },
  )
}
