import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { presentTagSignature, TagSignature, VERIFICATION } from '#code/commits/signatures/entity.ts'
import { verifySignature } from '#code/commits/signatures/verify-signature.ts'
import { NO_OBJECT, TAGS } from '#code/git/names.ts'
import { readTags } from '#code/git/objects.ts'
import type { Reference, ReferenceOrder } from '#code/git/references.ts'
import { changeAs } from '#code/repositories/change-as.ts'
import { withNamesAsked } from '#code/repositories/name-filter.ts'
import { pageOfReferences } from '#code/repositories/page-references.ts'
import { knownReferences } from '#code/repositories/known-references.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { onlyOne } from '#platform/sequences.ts'
import { createTag } from './create-tag.ts'
import { TagEntity } from './entity.ts'
import { findTag } from './find-tag.ts'
import { ByTag, NewTag, TagFilter } from './parameters.ts'
import { presentTags } from './present-tags.ts'

const sees = reads(project('download_code'), { anonymous: true })
const seenByJobs = reads(project('download_code'), { anonymous: true, jobToken: true })
const changes = writes(project('push_code'))

const orders = { name: 'refname', updated: 'creatordate', version: 'version:refname' } as const

/** Routes for tags. */
export const tagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/tags',
    {
      config: seenByJobs,
      schema: {
        summary: 'List tags',
        params: ById,
        querystring: TagFilter,
        response: { 200: Type.Array(TagEntity) },
      },
    },
    async (req, reply) => {
      const { order_by = 'updated', sort = 'desc' } = req.query
      const order: ReferenceOrder = `${sort === 'desc' ? '-' : ''}${orders[order_by]}`
      const repository = await requestedRepository(req)
      const all = repository === undefined ? [] : await knownReferences(repository, TAGS, order)
      const found = await withNamesAsked(all, TAGS, req.query)
      const page = await pageOfReferences(req, reply, found, TAGS)
      return repository === undefined ? [] : presentTags(req, repository, page)
    },
  )

  app.get(
    '/projects/:id/repository/tags/:tag_name',
    { config: sees, schema: { summary: 'Get a tag', params: ByTag, response: { 200: TagEntity } } },
    async (req) => presentOne(req, await findTag(await requestedRepository(req), req.params.tag_name)),
  )

  app.get(
    '/projects/:id/repository/tags/:tag_name/signature',
    {
      config: sees,
      schema: {
        summary: 'Get the signature of a tag',
        description: VERIFICATION,
        params: ByTag,
        response: { 200: TagSignature },
      },
    },
    async (req) => {
      const { repository, tag } = await findTag(await requestedRepository(req), req.params.tag_name)
      const [read] = await readTags(repository, [tag.id])
      if (read?.signature === undefined || read.signed === undefined) throw notFound('Signature')
      const { signature, signed, tagger } = read
      const verified = await verifySignature(app.db, { signature, signed, email: tagger?.email ?? '' })
      return presentTagSignature(verified)
    },
  )

  app.post(
    '/projects/:id/repository/tags',
    {
      config: changes,
      schema: {
        summary: 'Create a tag',
        params: ById,
        body: NewTag,
        refuses: [409],
        response: { 201: TagEntity },
      },
    },
    async (req) => {
      const made = await createTag(req, await requestedRepository(req), req.body)
      return presentOne(req, made)
    },
  )

  app.delete(
    '/projects/:id/repository/tags/:tag_name',
    {
      config: changes,
      schema: {
        summary: 'Delete a tag',
        description: 'And its release.',
        params: ByTag,
        refuses: [409],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { repository, tag } = await findTag(await requestedRepository(req), req.params.tag_name)
      await changeAs(req, repository, { ref: tag.name, before: tag.id, after: NO_OBJECT })
    },
  )
}

interface TagInRepository {
  readonly repository: StoredRepository
  readonly tag: Reference
}

async function presentOne(req: FastifyRequest, { repository, tag }: TagInRepository) {
  return onlyOne(await presentTags(req, repository, [tag]))
}
