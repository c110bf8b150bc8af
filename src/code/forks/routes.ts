import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { authorizeNamedProject } from '#platform/access/authorize.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Visibility } from '#platform/db/schema.ts'
import {
  ById,
  flag,
  idOrPath,
  integer,
  MAX_PATH,
  NoContent,
  nullable,
  oneOf,
  text,
} from '#platform/http/schema.ts'
import { eitherProjectEntity, projectEntity } from '#tenancy/projects/entity.ts'
import { projectAfter } from '#tenancy/projects/after.ts'
import { listProjects } from '#tenancy/projects/list-projects.ts'
import { ProjectFilter } from '#tenancy/projects/list-schema.ts'
import { forkProject } from './fork-project.ts'
import { addForkRelation, removeForkRelation } from './relations.ts'

const NewFork = Type.Object({
  namespace: Type.Optional(
    idOrPath({ description: 'The id or path of a group or personal namespace; by default your own.' }),
  ),
  namespace_id: Type.Optional(integer({ minimum: 1 })),
  namespace_path: Type.Optional(text({ max: MAX_PATH })),
  name: Type.Optional(text({ filled: true, description: 'By default that of the source.' })),
  path: Type.Optional(text({ filled: true, description: 'By default that of the source.' })),
  description: Type.Optional(nullable(text({ max: 2_000 }))),
  visibility: Type.Optional(
    oneOf<Visibility>(['private', 'internal', 'public'], {
      description: 'Not more open than the source; by default as open as the source and the namespace.',
    }),
  ),
  mr_default_target_self: Type.Optional(flag()),
  branches: Type.Optional(
    text({ max: MAX_NAME, description: 'The only branch to copy; by default all branches and tags.' }),
  ),
})

/** Routes for forks. */
export const forkRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.post(
    '/projects/:id/fork',
    {
      config: writes(project('fork_project')),
      schema: {
        summary: 'Fork a project',
        description: '`import_status` says when branches and tags are there.',
        params: ById,
        body: NewFork,
        refuses: [409],
        response: { 201: projectEntity() },
      },
    },
    async (req) => {
      const { namespace_id, namespace_path, branches, ...asked } = req.body
      const namespace = asked.namespace ?? namespace_id?.toString() ?? namespace_path
      const wishes = {
        ...asked,
        ...(namespace !== undefined && { namespace }),
        ...(branches !== undefined && branches !== '' && { branch: branches }),
      }
      const requester = { viewer: { ...req.viewer, id: req.user().id }, policy: services.settings() }
      const source = await requestedRepository(req)
      const { storages } = services.repositories
      const storage = source?.row.storage ?? storages.choose(services.settings().repository_storages_weighted)
      return req.write(async (tx) => {
        const { id } = await forkProject(tx, requester, req.project(), wishes, storage)
        return projectAfter(req, tx, id, { permissions: true })
      })
    },
  )

  app.get(
    '/projects/:id/forks',
    {
      config: reads(project('read_project'), { anonymous: true }),
      schema: {
        summary: 'List the forks of a project that you can see',
        params: ById,
        querystring: ProjectFilter,
        response: { 200: Type.Array(eitherProjectEntity()) },
      },
    },
    (req, reply) => {
      const { id } = req.project().container
      return listProjects(req, reply, {
        among: {
          ids: sql`select fp.project_namespace_id as id from project_forks f join projects fp on fp.id = f.project_id
            where f.source_id = ${id}`,
          test: sql<boolean>`p.id = any(array(select f.project_id from project_forks f where f.source_id = ${id}))`,
        },
      })
    },
  )

  app.post(
    '/projects/:id/fork/:forked_from_id',
    {
      config: writes(project('admin_project')),
      schema: {
        summary: 'Make a project a fork of another one',
        description: 'No code is copied.',
        params: Type.Object({
          ...ById.properties,
          forked_from_id: idOrPath({ description: 'The source: its id or URL-encoded path.' }),
        }),
        refuses: [409],
        response: { 201: projectEntity() },
      },
    },
    async (req) => {
      const { forked_from_id } = req.params
      const { container: source } = await authorizeNamedProject(
        db,
        req.viewer,
        forked_from_id,
        'fork_project',
      )
      return req.write(async (tx) => {
        await addForkRelation(tx, req.project(), source)
        return projectAfter(req, tx, req.project().container.id)
      })
    },
  )

  app.delete(
    '/projects/:id/fork',
    {
      config: writes(project('admin_project')),
      schema: {
        summary: 'End that a project is a fork',
        params: ById,
        response: { 204: NoContent, 304: NoContent },
      },
    },
    async (req, reply) => {
      const removed = await req.write((tx) => removeForkRelation(tx, req.project()))
      return reply.code(removed ? 204 : 304).send()
    },
  )
}
