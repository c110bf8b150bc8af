import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { noCustomRoles } from '#platform/access/roles.ts'
import { assertMayGive } from '#platform/access/access-context.ts'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { refuseLater } from '#platform/http/later.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { shareWithGroup, unshare } from '#tenancy/shares/share-with-group.ts'
import { Group, groupDetailEntity, InvitedGroup, presentGroups, presentInvitedGroup } from './entity.ts'
import { ByGroup, InvitedGroups, SharedGroups, NewGroupShare } from './parameters.ts'
import { filterGroups, groupsFor, invitedTo, offeredOrder, sharedGroupsOrder, sharedWith } from './queries.ts'
import { detailAfter } from './detail-after.ts'

/** Routes for sharing groups with groups. */
export const groupShareRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/groups/shared',
    {
      config: reads(group('read_group'), { anonymous: true }),
      schema: {
        summary: 'List the groups that are shared with a group',
        params: ById,
        querystring: SharedGroups,
        response: { 200: Type.Array(Group) },
      },
    },
    async (req, reply) => {
      const { viewer } = req
      const groups = sharedWith(groupsFor(db, viewer), req.group().container.id, viewer.today)
      const rows = await paginate(req, reply, filterGroups(groups, req.query, viewer), sharedGroupsOrder)
      return presentGroups(req.server.db, rows, req, req.query)
    },
  )

  app.get(
    '/groups/:id/invited_groups',
    {
      config: reads(group('read_group'), { anonymous: true }),
      schema: {
        summary: 'List the groups that a group is shared with',
        params: ById,
        querystring: InvitedGroups,
        response: { 200: Type.Array(InvitedGroup) },
      },
    },
    async (req, reply) => {
      const { viewer } = req
      const groups = invitedTo(groupsFor(db, viewer), req.group().container, viewer.today, req.query.relation)
      const rows = await paginate(req, reply, filterGroups(groups, req.query, viewer), offeredOrder)
      return rows.map((row) => presentInvitedGroup(row, req.site))
    },
  )

  app.post(
    '/groups/:id/share',
    {
      config: writes(group('share_group')),
      schema: {
        summary: 'Share a group with another group',
        params: ById,
        body: NewGroupShare,
        refuses: [409],
        response: { 201: groupDetailEntity() },
      },
    },
    async (req) => {
      const { container, accessContext } = req.group()
      const { group_id, group_access, expires_at = null } = req.body
      refuseLater(req.body, noCustomRoles)
      assertMayGive(accessContext, group_access)
      return req.write(async (tx) => {
        await authorizeGroup(tx.db, req.viewer, String(group_id), 'read_group')
        const share = { accessLevel: group_access, expiresAt: expires_at }
        await shareWithGroup(tx, { namespaceId: container.id, groupId: group_id, ...share })
        return detailAfter(req, tx, container.id)
      })
    },
  )

  app.delete(
    '/groups/:id/share/:group_id',
    {
      config: writes(group('share_group')),
      schema: {
        summary: 'Stop sharing a group with another group',
        params: ByGroup,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = req.group().container
      await req.write((tx) => unshare(tx, { namespaceId: id, groupId: req.params.group_id }))
    },
  )
}
