import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { orderParameters } from '#platform/http/order.ts'
import { ById, integer, Message, NoContent, text } from '#platform/http/schema.ts'
import { forbidden, invalid, notFound } from '#platform/refusals.ts'
import { assertNotElsewhere } from './authorize.ts'
import { deleteTag } from './delete-tag.ts'
import { deleteTags } from './delete-tags.ts'
import { presentTag, presentTagDetails, RegistryTag, RegistryTagDetails } from './entity.ts'
import { readExpression, whole } from './expressions.ts'
import { listTags } from './list-tags.ts'
import { readDuration } from './durations.ts'
import { isRepositoryOpen, KEPT, TagRules } from './protection.ts'
import { findTag, repositories, tagOrder } from './queries.ts'
import { addressesOf } from './repository-routes.ts'

const ByRepository = Type.Object({
  ...ById.properties,
  repository_id: integer({ description: 'The id of a repository of images.' }),
})
const ByTag = Type.Object({ ...ByRepository.properties, tag_name: text({ max: 128 }) })
const { cursor: _, ...listParameters } = orderParameters(tagOrder)
const pattern = (description: string) => text({ max: 1_024, description })

/** The tags of repositories of images. */
export const tagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const collection = '/projects/:id/registry/repositories/:repository_id/tags'
  const one = `${collection}/:tag_name` as const

  const repositoryOf = (req: FastifyRequest, id: number) =>
    repositories(db)
      .where('r.project_id', '=', req.project().container.id)
      .where('r.id', '=', id)
      .executeTakeFirstOrThrow(() => notFound('Repository'))

  app.get(
    collection,
    {
      config: reads(project('read_container_image'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the tags of a repository of images',
        params: ByRepository,
        querystring: Type.Object({
          ...listParameters,
          last: Type.Optional(
            text({ max: 128, description: 'The last tag of the page before, in keyset pagination.' }),
          ),
        }),
        response: { 200: Type.Array(RegistryTag) },
      },
    },
    async (req, reply) => {
      const repository = await repositoryOf(req, req.params.repository_id)
      const names = await listTags(req, reply, repository.id)
      const { host } = addressesOf(req)
      return names.map((name) => presentTag(repository, name, host))
    },
  )

  app.get(
    one,
    {
      config: reads(project('read_container_image'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get a tag of a repository of images',
        params: ByTag,
        response: { 200: RegistryTagDetails },
      },
    },
    async (req) => {
      const repository = await repositoryOf(req, req.params.repository_id)
      const tag = await findTag(db, repository.id, req.params.tag_name)
      if (tag === undefined) throw notFound('Tag')
      return presentTagDetails(repository, tag, addressesOf(req).host)
    },
  )

  app.delete(
    one,
    {
      config: writes(project('destroy_container_image'), { jobToken: true }),
      schema: {
        summary: 'Delete a tag of a repository of images',
        description: 'Its manifest stays for a day, for whoever pulls it by its digest.',
        params: ByTag,
        response: { 200: NoContent },
      },
    },
    async (req) => {
      const { container, accessContext: role } = req.project()
      assertNotElsewhere(req, container.id)
      const { id, name: rest } = await repositoryOf(req, req.params.repository_id)
      const { tag_name: tag } = req.params
      const place = { project: container, rest, role }
      await req.write(async (tx) => {
        if (!(await isRepositoryOpen(tx.db, place, 'delete'))) throw forbidden(KEPT)
        const why = (await TagRules.of(tx.db, container.id)).reasonToKeep(role, tag)
        if (why !== undefined) throw forbidden(why)
        if (!(await deleteTag(tx, place, id, tag))) throw notFound('Tag')
      })
    },
  )

  app.delete(
    collection,
    {
      config: writes(project('admin_container_image'), { jobToken: true }),
      schema: {
        summary: 'Delete many tags of a repository of images',
        description:
          'In the background, those whose names match as a whole. `latest` stays, and tags that rules of the project protect do. Expressions are those of RE2.',
        params: ByRepository,
        querystring: Type.Object({
          name_regex_delete: Type.Optional(pattern('Names of tags to delete, such as `.*`.')),
          name_regex: Type.Optional(pattern('An older name of `name_regex_delete`.')),
          name_regex_keep: Type.Optional(pattern('Names of tags that stay, whatever else matches.')),
          keep_n: Type.Optional(
            integer({ minimum: 1, description: 'How many of the newest tags that match stay.' }),
          ),
          older_than: Type.Optional(
            text({ max: 20, description: 'Only tags older than this: `1h`, `1d`, `1month`.' }),
          ),
        }),
        response: { 202: Message },
      },
    },
    async (req) => {
      const { container: of, accessContext: role } = req.project()
      assertNotElsewhere(req, of.id)
      const { id, name: rest } = await repositoryOf(req, req.params.repository_id)
      if (!(await isRepositoryOpen(db, { project: of, rest, role }, 'delete'))) throw forbidden(KEPT)
      const { name_regex, name_regex_delete = name_regex, name_regex_keep, keep_n, older_than } = req.query
      if (name_regex_delete === undefined) throw invalid({ name_regex_delete: ["can't be blank"] })
      readExpression('name_regex_delete', whole(name_regex_delete))
      if (name_regex_keep !== undefined) readExpression('name_regex_keep', whole(name_regex_keep))
      const seconds = older_than === undefined ? undefined : readDuration(older_than)
      if (older_than !== undefined && seconds === undefined)
        throw invalid({ older_than: ['must be a number with m, h, d, month or y'] })
      await req.write((tx) =>
        enqueue(tx, deleteTags, {
          repository_id: id,
          name_regex_delete,
          ...(name_regex_keep !== undefined && { name_regex_keep }),
          ...(keep_n !== undefined && { keep_n }),
          ...(seconds !== undefined && { older_than: seconds }),
        }),
      )
      return { message: '202 Accepted' }
    },
  )
}
