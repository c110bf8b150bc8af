import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authorizeProject } from '#platform/access/authorize.ts'
import { anyone, group, project, reads, writes } from '#platform/access/route-access.ts'
import { registryHost } from '#platform/config/registry-host.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, flag, integer, Message } from '#platform/http/schema.ts'
import { NotFound, notFound } from '#platform/refusals.ts'
import { sql } from 'kysely'
import { assertNotElsewhere } from './authorize.ts'
import { deleteRepository } from './delete-repository.ts'
import {
  type Addresses,
  presentRepository,
  presentTag,
  RegistryRepository,
  type RepositoryRow,
} from './entity.ts'
import { readableProjects } from '../readable-projects.ts'
import { firstTags, repositories, repositoryOrder, sizeOf, tagCounts } from './queries.ts'

const withTags = {
  tags: flag({ default: false, description: 'With the first 100 tags of each.' }),
  tags_count: flag({ default: false, description: 'With the number of tags of each.' }),
}
const ByRepository = Type.Object({
  ...ById.properties,
  repository_id: integer({ description: 'The id of a repository of images.' }),
})
const RepositoryId = Type.Object({ id: integer({ description: 'The id of a repository of images.' }) })

export const addressesOf = ({ server, site }: FastifyRequest): Addresses => ({
  host: registryHost(server.services.config, site),
  site,
})

/** The repositories of images of projects. */
export const repositoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const ofProject = '/projects/:id/registry/repositories'

  interface Wanted {
    readonly tags?: boolean
    readonly tags_count?: boolean
  }

  const present = async (req: FastifyRequest, rows: readonly RepositoryRow[], wanted: Wanted = {}) => {
    const addresses = addressesOf(req)
    const ids = rows.map(({ id }) => id)
    const counts = wanted.tags_count === true ? await tagCounts(db, ids) : undefined
    const names = wanted.tags === true ? await firstTags(db, ids) : undefined
    return rows.map((row) => ({
      ...presentRepository(row, addresses),
      ...(counts && { tags_count: counts.get(row.id) ?? 0 }),
      ...(names && { tags: (names.get(row.id) ?? []).map((tag) => presentTag(row, tag, addresses.host)) }),
    }))
  }

  app.get(
    ofProject,
    {
      config: reads(project('read_container_image'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the repositories of images of a project',
        params: ById,
        querystring: Type.Object({ ...pageParameters, ...withTags }),
        response: { 200: Type.Array(RegistryRepository) },
      },
    },
    async (req, reply) => {
      const list = repositories(db).where('r.project_id', '=', req.project().container.id)
      return present(req, await paginate(req, reply, list, repositoryOrder), req.query)
    },
  )

  app.get(
    '/groups/:id/registry/repositories',
    {
      config: reads(group('read_container_images'), { anonymous: true }),
      schema: {
        summary: 'List the repositories of images of a group',
        description: 'Of all projects below it from which the caller may pull.',
        params: ById,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(RegistryRepository) },
      },
    },
    async (req, reply) => {
      const { namespace_id } = req.group().container
      const visible = readableProjects(
        req.viewer,
        'container_registry',
        sql<boolean>`n.traversal_ids @> array[${namespace_id}::bigint]`,
      )
      const list = repositories(db).where(
        sql<boolean>`r.project_id in (with recursive ${visible} select v.id from visible v)`,
      )
      return present(req, await paginate(req, reply, list, repositoryOrder))
    },
  )

  app.get(
    '/registry/repositories/:id',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'Get a repository of images',
        params: RepositoryId,
        querystring: Type.Object({
          ...withTags,
          size: flag({ default: false, description: 'With the bytes that it takes.' }),
        }),
        response: { 200: RegistryRepository },
      },
    },
    async (req) => {
      const row = await repositories(db)
        .where('r.id', '=', req.params.id)
        .executeTakeFirstOrThrow(() => notFound())
      try {
        await authorizeProject(db, req.viewer, String(row.project_id), 'read_container_image')
      } catch (error) {
        throw error instanceof NotFound ? notFound() : error
      }
      const [presented] = await present(req, [row], req.query)
      if (presented === undefined) throw notFound()
      return req.query.size ? { ...presented, size: await sizeOf(db, row.id) } : presented
    },
  )

  app.delete(
    `${ofProject}/:repository_id`,
    {
      config: writes(project('admin_container_image'), { jobToken: true }),
      schema: {
        summary: 'Delete a repository of images',
        description:
          'Nobody can pull from it any more; a job removes its images. Tags that are protected keep it.',
        params: ByRepository,
        response: { 202: Message },
      },
    },
    async (req) => {
      const { container, accessContext } = req.project()
      assertNotElsewhere(req, container.id)
      await req.write((tx) =>
        deleteRepository(tx, { project: container, role: accessContext }, req.params.repository_id),
      )
      return { message: '202 Accepted' }
    },
  )
}
