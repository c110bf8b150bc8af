import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById } from '#platform/http/schema.ts'
import { createRelease } from './create-release.ts'
import { deleteReleases } from './delete-release.ts'
import { Release } from './entity.ts'
import { releaseOrder } from './order.ts'
import { ByRelease, NewRelease, ReleaseChanges, ReleaseFilter, ReleaseQuery } from './parameters.ts'
import { audienceOf, presentOneRelease, presentReleases, renderingBudget } from './present.ts'
import { assertMayRelease } from './protected-tag.ts'
import {
  filterReleases,
  findRelease,
  lacks,
  lockRelease,
  type Longest,
  longestFor,
  releasesOf,
} from './queries.ts'
import { updateRelease } from './update-release.ts'

/** Releases: which versions of a project there are, what is new in them, and where to get them. */
export const releaseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/releases',
    {
      config: reads(project('read_release'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the releases of a project',
        params: ById,
        querystring: ReleaseFilter,
        response: { 200: Type.Array(Release) },
      },
    },
    async (req, reply) => {
      const { query } = req
      const read = (longest?: Longest) =>
        filterReleases(releasesOf(db, req.project().container.id, longest), query)
      const rows = await paginate(req, reply, read(longestFor(query)), releaseOrder)
      const whole = (ids: readonly number[]) => read().where(isAnyOf('r.id', ids)).execute()
      const audience = audienceOf(req)
      const html = query.include_html_description === true ? renderingBudget() : undefined
      return sendLong(req, reply, { rows, lacks, whole }, (some) =>
        presentReleases(req, some, { audience: () => audience, html }),
      )
    },
  )

  app.get(
    '/projects/:id/releases/:tag_name',
    {
      config: reads(project('read_release_code'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'Get a release by its tag',
        params: ByRelease,
        querystring: ReleaseQuery,
        response: { 200: Release },
      },
    },
    async (req) => {
      const row = await findRelease(db, req.project().container.id, req.params.tag_name)
      return presentOneRelease(req, row, req.query.include_html_description)
    },
  )

  app.post(
    '/projects/:id/releases',
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: {
        summary: 'Create a release',
        description: 'Makes the tag, too, unless it is there.',
        params: ById,
        body: NewRelease,
        refuses: [409, 422],
        response: { 201: Release },
      },
    },
    async (req) => {
      await assertMayRelease(req, req.body.tag_name)
      return presentOneRelease(req, await createRelease(req, req.body))
    },
  )

  app.put(
    '/projects/:id/releases/:tag_name',
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: {
        summary: 'Change a release',
        params: ByRelease,
        body: ReleaseChanges,
        refuses: [412],
        response: { 200: Release },
      },
    },
    async (req) => {
      const { container } = req.project()
      const tag = req.params.tag_name
      await assertMayRelease(req, tag)
      const changed = await req.write(async (tx) => {
        const known = await lockRelease(tx, container.id, tag)
        assertUnmodified(req, known.updated_at)
        return updateRelease(tx, container, known, req.body)
      })
      return presentOneRelease(req, changed)
    },
  )

  app.delete(
    '/projects/:id/releases/:tag_name',
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: {
        summary: 'Delete a release',
        description: 'Its tag stays.',
        params: ByRelease,
        refuses: [412],
        response: { 200: Release },
      },
    },
    async (req) => {
      const { id, namespace_id } = req.project().container
      const tag = req.params.tag_name
      await assertMayRelease(req, tag)
      const gone = await req.write(async (tx) => {
        const known = await lockRelease(tx, id, tag, true)
        assertUnmodified(req, known.updated_at)
        await deleteReleases(tx, namespace_id, [known])
        return known
      })
      return presentOneRelease(req, gone)
    },
  )
}
