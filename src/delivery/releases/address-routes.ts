import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { sendHead } from '#platform/http/headers.ts'
import { ById } from '#platform/http/schema.ts'
import { AtomFeed, MAX_ENTRIES, sendFeed } from '#platform/pages/atom-feed.ts'
import { encodeTag } from './addresses.ts'
import { Release } from './entity.ts'
import { collectEvidence } from './evidence.ts'
import { ByAsset, ByEvidence, ByRelease, BySuffix } from './parameters.ts'
import { audienceOf, presentOneRelease, presentReleases, renderingBudget } from './present.ts'
import { assertMayRelease } from './protected-tag.ts'
import { findLatest, findRelease, latestReleases, lockRelease } from './queries.ts'

const Elsewhere = Type.Unsafe<undefined>({
  type: 'null',
  description: 'The answer is at the URL in `Location`.',
})
const Evidence = Type.Unsafe<Readable>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/json',
  description: 'JSON, byte by byte what `sha` is the SHA-256 of.',
})

/** Addresses that stay the same: the latest release, assets by their paths, evidence, and a feed. */
export const releaseAddressRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const seen = reads(project('read_release_code'), { anonymous: true, jobToken: true })
  const latest = '/projects/:id/releases/permalink/latest'
  const latestOf = async (id: number, suffix = '') => {
    const tag = await findLatest(db, id, app.services.clock.now().toISOString())
    return `/api/v4/projects/${id}/releases/${encodeTag(tag)}${suffix}`
  }

  app.get(
    latest,
    {
      config: seen,
      schema: { summary: 'Get the latest release', params: ById, response: { 302: Elsewhere } },
    },
    async (req, reply) => reply.redirect(`${req.site}${await latestOf(req.project().container.id)}`, 302),
  )

  app.get(
    `${latest}/:suffix_path`,
    {
      config: seen,
      schema: {
        summary: 'Get something of the latest release',
        params: BySuffix,
        response: { 302: Elsewhere },
      },
    },
    async (req, reply) => {
      const parts = req.params.suffix_path.split('/')
      // Whoever follows the answer would be led out of the release.
      if (parts.some((part) => part === '.' || part === '..')) throw notFound()
      const suffix = parts.map(encodeURIComponent).join('/')
      return reply.redirect(`${req.site}${await latestOf(req.project().container.id, `/${suffix}`)}`, 302)
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/releases.atom',
    config: reads(project('read_release'), { anonymous: true, feedToken: true }),
    schema: {
      summary: 'Get a feed of the releases of a project',
      description: 'Those that were released last, in the format Atom.',
      params: ById,
      response: { 200: AtomFeed },
    },
    handler: async (req, reply) => {
      if (req.method === 'HEAD') return sendHead(reply.type('application/atom+xml; charset=utf-8'))
      const { id, full_path } = req.project().container
      const now = app.services.clock.now().toISOString()
      const rows = await latestReleases(db, id, { now, most: MAX_ENTRIES })
      const audience = audienceOf(req)
      const releases = await presentReleases(req, rows, { audience: () => audience, html: renderingBudget() })
      const page = `${req.site}/${full_path}/-/releases`
      return sendFeed(reply, {
        title: `${full_path} releases`,
        page,
        self: `${page}.atom`,
        updated: now,
        entries: releases.map(({ name, released_at, description_html = '', author, _links }) => ({
          page: _links.self,
          title: name,
          updated: released_at,
          author: author?.name,
          html: description_html,
        })),
      })
    },
  })

  app.get(
    '/projects/:id/releases/:tag_name/downloads/:direct_asset_path',
    {
      config: seen,
      schema: { summary: 'Download an asset of a release', params: ByAsset, response: { 302: Elsewhere } },
    },
    async (req, reply) => {
      const { links } = await findRelease(db, req.project().container.id, req.params.tag_name)
      const link = links.find(({ filepath }) => filepath === `/${req.params.direct_asset_path}`)
      if (link === undefined) throw notFound()
      // Letters that a header cannot have are written as it can.
      return reply.redirect(new URL(link.url).href, 302)
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/releases/:tag_name/evidences/:evidence_id',
    config: seen,
    schema: { summary: 'Get an evidence of a release', params: ByEvidence, response: { 200: Evidence } },
    handler: async (req, reply) => {
      const { id } = await findRelease(db, req.project().container.id, req.params.tag_name)
      const { summary } = await db
        .selectFrom('release_evidences')
        .select('summary')
        .where('release_id', '=', id)
        .where('id', '=', req.params.evidence_id)
        .executeTakeFirstOrThrow(() => notFound())
      void reply.type('application/json')
      if (req.method === 'HEAD') return sendHead(reply)
      return Readable.from([Buffer.from(summary)])
    },
  })

  app.post(
    '/projects/:id/releases/:tag_name/evidence',
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: {
        summary: 'Collect the evidence of a release again',
        params: ByRelease,
        response: { 201: Release },
      },
    },
    async (req) => {
      const { id } = req.project().container
      const tag = req.params.tag_name
      await assertMayRelease(req, tag)
      const row = await req.write(async (tx) => {
        const known = await lockRelease(tx, id, tag)
        await collectEvidence(tx, known.id)
        return findRelease(tx.db, id, tag)
      })
      return presentOneRelease(req, row)
    },
  )
}
