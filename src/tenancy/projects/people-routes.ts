import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { noCustomRoles } from '#platform/access/roles.ts'
import { assertMayGive } from '#platform/access/access-context.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import {
  GroupIdentity,
  InvitedGroup,
  presentGroupIdentity,
  presentInvitedGroup,
} from '#tenancy/groups/entity.ts'
import { filterGroups, groupsFor, invitedTo, offeredOrder } from '#tenancy/groups/queries.ts'
import { refuseLater } from '#platform/http/later.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, integer, NoContent, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { shareWithGroup, unshare } from '#tenancy/shares/share-with-group.ts'
import { presentUserBasic, UserBasic } from '#identity/users/basic.ts'
import { ByGroup, GroupsOfProject, InvitedGroups, Search, NewProjectShare, Users } from './parameters.ts'
import { Starrer } from './entity.ts'
import { findShare, groupsAboveOrInvited, starrersOf, starrerOrder, userOrder, usersOf } from './people.ts'

/** Routes for the people and groups of a project. */
export const projectPeopleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/users',
    {
      config: reads(project('read_member'), { anonymous: true }),
      schema: {
        summary: 'List the users who are direct or inherited members of a project',
        params: ById,
        querystring: Users,
        response: { 200: Type.Array(UserBasic) },
      },
    },
    async (req, reply) => {
      const users = usersOf(db, req.project().container, req.viewer, req.query)
      const rows = await paginate(req, reply, users, userOrder)
      return rows.map((row) => presentUserBasic(row, req.site))
    },
  )

  app.get(
    '/projects/:id/starrers',
    {
      config: reads(project('read_project'), { anonymous: true }),
      schema: {
        summary: 'List who starred a project',
        params: ById,
        querystring: Search,
        response: { 200: Type.Array(Starrer) },
      },
    },
    async (req, reply) => {
      const stars = starrersOf(db, req.project().container.id, req.viewer, req.query)
      const rows = await paginate(req, reply, stars, starrerOrder)
      return rows.map(({ starred_since, ...user }) => ({
        starred_since: iso(starred_since),
        user: presentUserBasic(user, req.site),
      }))
    },
  )

  app.get(
    '/projects/:id/groups',
    {
      config: reads(project('read_project'), { anonymous: true }),
      schema: {
        summary:
          'List the parent groups of a project and, with `with_shared`, the groups that it is shared with',
        params: ById,
        querystring: GroupsOfProject,
        response: { 200: Type.Array(GroupIdentity) },
      },
    },
    async (req, reply) => {
      const groups = groupsAboveOrInvited(
        groupsFor(db, req.viewer),
        req.project().container,
        req.viewer,
        req.query,
      )
      const rows = await paginate(req, reply, filterGroups(groups, req.query, req.viewer), offeredOrder)
      return rows.map((row) => presentGroupIdentity(row, req.site))
    },
  )

  app.get(
    '/projects/:id/invited_groups',
    {
      config: reads(project('read_project'), { anonymous: true }),
      schema: {
        summary: 'List the groups that a project is shared with',
        params: ById,
        querystring: InvitedGroups,
        response: { 200: Type.Array(InvitedGroup) },
      },
    },
    async (req, reply) => {
      const { viewer, query } = req
      const { namespace_id: id, traversal_ids } = req.project().container
      const groups = invitedTo(groupsFor(db, viewer), { id, traversal_ids }, viewer.today, query.relation)
      const rows = await paginate(req, reply, filterGroups(groups, query, viewer), offeredOrder)
      return rows.map((row) => presentInvitedGroup(row, req.site))
    },
  )

  app.post(
    '/projects/:id/share',
    {
      config: writes(project('share_project')),
      schema: {
        summary: 'Share a project with a group',
        params: ById,
        body: NewProjectShare,
        refuses: [409],
        response: {
          201: Type.Object({
            id: integer(),
            project_id: integer(),
            group_id: integer(),
            group_access: integer(),
            expires_at: nullable(Type.String()),
          }),
        },
      },
    },
    async (req) => {
      const { container, accessContext } = req.project()
      const { group_id: groupId, group_access: accessLevel, expires_at } = req.body
      refuseLater(req.body, noCustomRoles)
      assertMayGive(accessContext, accessLevel)
      const share = await req.write(async (tx) => {
        await authorizeGroup(tx.db, req.viewer, String(groupId), 'read_group')
        const at = { namespaceId: container.namespace_id, groupId }
        await shareWithGroup(tx, { ...at, accessLevel, expiresAt: expires_at ?? null })
        return findShare(tx, at)
      })
      return { ...share, project_id: container.id }
    },
  )

  app.delete(
    '/projects/:id/share/:group_id',
    {
      config: writes(project('share_project')),
      schema: {
        summary: 'Stop sharing a group with another group',
        params: ByGroup,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { namespace_id: namespaceId } = req.project().container
      await req.write((tx) => unshare(tx, { namespaceId, groupId: req.params.group_id }))
    },
  )
}
