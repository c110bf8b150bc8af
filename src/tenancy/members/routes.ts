import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { assertMayGive } from '#platform/access/access-context.ts'
import { noCustomRoles } from '#platform/access/roles.ts'
import { forbidden } from '#platform/refusals.ts'
import { refuseLater } from '#platform/http/later.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { addOneMember, addSeveralMembers, type Invitees, type Terms } from './add-members.ts'
import { Member, presentMember, presentMembers } from './entity.ts'
import {
  AllMembers,
  ByMember,
  DirectMembers,
  RemovalOptions,
  MemberTerms,
  NewMembers,
  SeveralAdded,
} from './parameters.ts'
import {
  allMembers,
  directMembers,
  filterMembers,
  findMember,
  memberOrder,
  type MemberContainer,
} from './queries.ts'
import { removeMember } from './remove-member.ts'
import { updateMember } from './update-member.ts'

/** Members of projects and groups. */
export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const base = `/${kind}s/:id/members` as const

    for (const { path, all, filter, membersOf } of [
      { path: base, all: false, filter: DirectMembers, membersOf: directMembers },
      { path: `${base}/all`, all: true, filter: AllMembers, membersOf: allMembers },
    ] as const) {
      app.get(
        path,
        {
          config: reads(subject('read_member'), { anonymous: true }),
          schema: {
            summary: all
              ? `List the members of a ${kind}, including inherited and invited ones`
              : `List the direct members of a ${kind}`,
            params: ById,
            querystring: filter,
            response: { 200: Type.Array(Member) },
          },
        },
        async (req, reply) => {
          const members = filterMembers(membersOf(db, open(req).container, req.viewer), req.query, req.viewer)
          const rows = await paginate(req, reply, members, memberOrder)
          return presentMembers(rows, req, req.query.show_seat_info)
        },
      )

      app.get(
        `${path}/:user_id`,
        {
          config: reads(subject('read_member'), { anonymous: true }),
          schema: {
            summary: all
              ? `Get a member of a ${kind}, including inherited and invited ones`
              : `Get a direct member of a ${kind}`,
            params: ByMember,
            response: { 200: Member },
          },
        },
        async (req) => {
          const members = membersOf(db, open(req).container, req.viewer)
          return presentMember(await findMember(members, req.params.user_id), req)
        },
      )
    }

    app.post(
      base,
      {
        config: writes(subject('admin_member')),
        schema: {
          summary: `Add one or several users to a ${kind}`,
          params: ById,
          body: NewMembers,
          refuses: [409],
          response: { 201: Type.Union([Member, SeveralAdded]) },
        },
      },
      async (req) => {
        const { container, accessContext } = open(req)
        const { user_id: ids = [], username: usernames = [], access_level, expires_at = null } = req.body
        refuseLater(req.body, noCustomRoles)
        assertMayGive(accessContext, access_level)
        const invited = { ids, usernames }
        const terms = { accessLevel: access_level, expiresAt: expires_at }
        const several = ids.length + usernames.length > 1
        const add = several ? addSeveral : addOne
        return add(req, container, invited, terms)
      },
    )

    app.put(
      `${base}/:user_id`,
      {
        config: writes(subject('admin_member')),
        schema: {
          summary: `Change a member of a ${kind}`,
          params: ByMember,
          body: MemberTerms,
          response: { 200: Member },
        },
      },
      async (req) => {
        const { container, accessContext } = open(req)
        const { access_level: accessLevel, expires_at: expiresAt } = req.body
        const { user_id } = req.params
        refuseLater(req.body, noCustomRoles)
        const member = await req.write(async (tx) => {
          await updateMember(tx, container, accessContext, user_id, { accessLevel, expiresAt })
          return findMember(directMembers(tx.db, container, req.viewer), user_id)
        })
        return presentMember(member, req)
      },
    )

    app.delete(
      `${base}/:user_id`,
      {
        // Everybody who may see a project or group may leave it; removing others is checked below.
        config: writes(subject('read_member')),
        schema: {
          summary: `Remove a member from a ${kind}, or leave it`,
          params: ByMember,
          querystring: RemovalOptions,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const { container, accessContext, can } = open(req)
        const { user_id: userId } = req.params
        const leaving = userId === req.user().id
        if (!leaving && !can('admin_member')) throw forbidden()
        const removal = { userId, skipBelow: req.query.skip_subresources }
        await req.write((tx) => removeMember(tx, container, leaving ? null : accessContext, removal))
      },
    )
  }
}

async function addOne(req: FastifyRequest, container: MemberContainer, invited: Invitees, terms: Terms) {
  const member = await req.write(async (tx) => {
    const userId = await addOneMember(tx, container, invited, terms)
    return findMember(directMembers(tx.db, container, req.viewer), userId)
  })
  return presentMember(member, req)
}

async function addSeveral(req: FastifyRequest, container: MemberContainer, invited: Invitees, terms: Terms) {
  const problems = await req.write((tx) => addSeveralMembers(tx, container, invited, terms))
  const none = Object.keys(problems).length === 0
  return none ? { status: 'success' as const } : { status: 'error' as const, message: problems }
}
