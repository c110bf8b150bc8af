import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { paginate } from '#platform/http/pagination.ts'
import { notFound } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { type LinkRow, ReleaseLink, type ReleaseRow } from './entity.ts'
import { addLinks, deleteLink, linkColumns, touchRelease, updateLink } from './links.ts'
import { linkOrder } from './order.ts'
import { ByLink, ByRelease, LinkChanges, LinkFilter, NewLink } from './parameters.ts'
import { presentLink } from './present.ts'
import { assertMayRelease } from './protected-tag.ts'
import { findRelease, lockRelease } from './queries.ts'

type OfRelease = FastifyRequest & { readonly params: { readonly tag_name: string } }

/** Links of releases: the assets that are elsewhere. */
export const releaseLinkRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const collection = '/projects/:id/releases/:tag_name/assets/links'
  const one = `${collection}/:link_id` as const

  const present = (req: OfRelease, row: LinkRow) =>
    presentLink(row, `${req.site}/${req.project().container.full_path}`, req.params.tag_name)
  const found = (req: OfRelease): Promise<ReleaseRow> =>
    findRelease(db, req.project().container.id, req.params.tag_name)
  const linksOf = (releaseId: number) =>
    db
      .selectFrom('release_links as l')
      .select(linkColumns.map((name) => `l.${name}` as const))
      .where('l.release_id', '=', releaseId)
  /** Changes links of the release, which is locked, and says in the release that they have changed. */
  const change = async (req: OfRelease, work: (tx: Tx, release: ReleaseRow) => Promise<LinkRow>) => {
    await assertMayRelease(req, req.params.tag_name)
    const row = await req.write(async (tx) => {
      const release = await lockRelease(tx, req.project().container.id, req.params.tag_name)
      const changed = await work(tx, release)
      await touchRelease(tx, release.id)
      return changed
    })
    return present(req, row)
  }

  app.get(
    collection,
    {
      config: reads(project('read_release_code'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the links of a release',
        params: ByRelease,
        querystring: LinkFilter,
        response: { 200: Type.Array(ReleaseLink) },
      },
    },
    async (req, reply) => {
      const { id } = await found(req)
      return (await paginate(req, reply, linksOf(id), linkOrder)).map((row) => present(req, row))
    },
  )

  app.get(
    one,
    {
      config: reads(project('read_release_code'), { anonymous: true, jobToken: true }),
      schema: { summary: 'Get a link of a release', params: ByLink, response: { 200: ReleaseLink } },
    },
    async (req) => {
      const { id } = await found(req)
      const row = await linksOf(id)
        .where('l.id', '=', req.params.link_id)
        .executeTakeFirstOrThrow(() => notFound())
      return present(req, row)
    },
  )

  app.post(
    collection,
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: {
        summary: 'Add a link to a release',
        params: ByRelease,
        body: NewLink,
        response: { 201: ReleaseLink },
      },
    },
    (req) => change(req, async (tx, release) => onlyOne(await addLinks(tx, release, [req.body]))),
  )

  app.put(
    one,
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: {
        summary: 'Change a link of a release',
        params: ByLink,
        body: LinkChanges,
        response: { 200: ReleaseLink },
      },
    },
    (req) => change(req, (tx, { id }) => updateLink(tx, id, req.params.link_id, req.body)),
  )

  app.delete(
    one,
    {
      config: writes(project('admin_release'), { jobToken: true }),
      schema: { summary: 'Delete a link of a release', params: ByLink, response: { 200: ReleaseLink } },
    },
    (req) => change(req, (tx, { id }) => deleteLink(tx, id, req.params.link_id)),
  )
}
