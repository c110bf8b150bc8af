import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { iso } from '#platform/http/time.ts'
import { EpicLink, RelatedEpic } from './entity.ts'
import { linkOrder } from './list-order.ts'
import {
  type EpicLinkRow,
  linkEpics,
  openTarget,
  type RelatedEpicRow,
  relatedEpics,
  unlinkEpics,
} from './links.ts'
import { ByEpic, ByEpicLink, NewEpicLink, EpicPages } from './parameters.ts'
import { epicAudienceOf, presentEpic } from './present.ts'
import { findEpic } from './queries.ts'
import { lacksOf } from '#planning/noteables/items/lacking.ts'
import { epicTier as tier } from './tier.ts'
import { epicsApi as deprecated } from './identity.ts'

/** Links between epics, also of different groups. */
export const epicLinkRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/epics/:epic_iid/related_epics',
    {
      config: reads(group('read_epic'), { tier }),
      schema: {
        summary: 'List the epics that are linked to an epic',
        description: 'In the order in which they were linked, without those that you cannot see.',
        deprecated,
        params: ByEpic,
        querystring: EpicPages,
        response: { 200: Type.Array(RelatedEpic) },
      },
    },
    async (req, reply) => {
      const { id } = await findEpic(db, req.viewer, req.group(), { iid: req.params.epic_iid })
      const related = (longest?: number) => relatedEpics(db, req.viewer, id, longest)
      const long = {
        rows: await paginate(req, reply, related(inlineBytes(req.query)), linkOrder),
        lacks: lacksOf(),
        whole: (ids: readonly number[]) => related().where(isAnyOf('e.id', ids)).execute(),
      }
      return sendLong(req, reply, long, (rows) => rows.map((row) => presentRelated(row, req)))
    },
  )

  app.post(
    '/groups/:id/epics/:epic_iid/related_epics',
    {
      config: writes(group('link_epic'), { tier }),
      schema: {
        summary: 'Link an epic to another one',
        description:
          'Needs a membership in the groups of both. An epic that `is_blocked_by` another one is the target of a link ' +
          '`blocks`. An epic can have 1,000 links.',
        deprecated,
        params: ByEpic,
        body: NewEpicLink,
        refuses: [409, 422],
        response: { 201: EpicLink },
      },
    },
    async (req) => {
      const { viewer, params, body } = req
      const link = await req.write(async (tx) => {
        const epic = await findEpic(tx.db, viewer, req.group(), { iid: params.epic_iid })
        const other = await openTarget(tx, viewer, body.target_group_id, body.target_epic_iid)
        return linkEpics(tx, epic, other, body.link_type ?? 'relates_to')
      })
      return presentLink(link, req)
    },
  )

  app.delete(
    '/groups/:id/epics/:epic_iid/related_epics/:related_epic_link_id',
    {
      config: writes(group('link_epic'), { tier }),
      schema: {
        summary: 'Remove a link between epics',
        description: 'Needs a membership in the groups of both.',
        deprecated,
        params: ByEpicLink,
        refuses: [412],
        response: { 200: EpicLink },
      },
    },
    async (req) => {
      const { viewer, params } = req
      const link = await req.write(async (tx) => {
        const epic = await findEpic(tx.db, viewer, req.group(), { iid: params.epic_iid })
        return unlinkEpics(tx, req, epic, params.related_epic_link_id)
      })
      return presentLink(link, req)
    },
  )
}

const presentRelated = (row: RelatedEpicRow, req: FastifyRequest): Static<typeof RelatedEpic> => ({
  ...presentEpic(row, epicAudienceOf(req)),
  related_epic_link_id: row.link_id,
  link_type: row.link_type === 'blocks' && !row.is_source ? 'is_blocked_by' : row.link_type,
  link_created_at: iso(row.link_created_at),
  link_updated_at: iso(row.link_updated_at),
})

const presentLink = (
  { source, target, created_at, updated_at, ...link }: EpicLinkRow,
  req: FastifyRequest,
): Static<typeof EpicLink> => ({
  id: link.id,
  source_epic: presentEpic(source, epicAudienceOf(req)),
  target_epic: presentEpic(target, epicAudienceOf(req)),
  link_type: link.link_type,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
})
