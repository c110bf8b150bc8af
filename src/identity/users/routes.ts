import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads } from '#platform/access/route-access.ts'
import type { PagedRequest } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { presentUserBasic } from './basic.ts'
import { AssociationsCount, Membership, UserListed, UserShown, UserStatus } from './entity.ts'
import { countAssociations } from './counts.ts'
import { membershipOrder, membershipsOf, presentMemberships } from './memberships.ts'
import { ByUser, ByUserOrName, Filter, MembershipFilter, DisplayParameters } from './parameters.ts'
import { assertSelfOrAdministrator, assertUserList } from './policy.ts'
import { presentStatus, presentUserAdmin, presentUserPublic } from './present.ts'
import { accounts, basics, filterUsers, findUser, findUserBy, userOrder, users } from './queries.ts'

const scopes = ['api', 'read_api', 'read_user'] as const

/** Anonymous callers get one answer for every id and name, so that nobody can find out who has an account. */
const oneAccount = reads(anyone, { scopes, withoutCredentials: 403 })

/** Users as others see them; admin-routes.ts and state-routes.ts have the routes for administrators. */
export const userRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/users',
    {
      config: reads(anyone, { anonymous: true, scopes }),
      schema: { summary: 'List users', querystring: Filter, response: { 200: Type.Array(UserListed) } },
    },
    async (req, reply) => {
      assertUserList(req.viewer, req.query, services.settings())
      const matching = filterUsers(users(db), req.query, req.viewer)
      if (!req.viewer.admin) {
        const rows = await paginate(inOfferedOrder(req), reply, basics(matching), userOrder)
        return rows.map((row) => presentUserBasic(row, req.site))
      }
      const rows = await paginate(req, reply, accounts(matching), userOrder)
      const attributes = req.query.with_custom_attributes ? { custom_attributes: [] } : {}
      return rows.map((row) => ({ ...presentUserAdmin(row, req), ...attributes }))
    },
  )

  app.get(
    '/users/:id',
    {
      config: oneAccount,
      schema: {
        summary: 'Get a user',
        params: ByUser,
        querystring: DisplayParameters,
        response: { 200: UserShown },
      },
    },
    async (req) => {
      const user = await findUser(db, req.params.id)
      if (!req.viewer.admin) return presentUserPublic(user, req.viewer, req.site)
      const attributes = req.query.with_custom_attributes ? { custom_attributes: [] } : {}
      return { ...presentUserAdmin(user, req), ...attributes }
    },
  )

  app.get(
    '/users/:id_or_username/status',
    {
      config: oneAccount,
      schema: { summary: 'Get the status of a user', params: ByUserOrName, response: { 200: UserStatus } },
    },
    async (req) => {
      const user = await findUserBy(db, req.params.id_or_username)
      return presentStatus(user, services.clock.now().toISOString())
    },
  )

  app.get(
    '/users/:id/memberships',
    {
      config: reads(admin, { scopes }),
      schema: {
        summary: 'List the memberships of a user',
        params: ByUser,
        querystring: MembershipFilter,
        response: { 200: Type.Array(Membership) },
      },
    },
    async (req, reply) => {
      const { id } = await findUser(db, req.params.id)
      const rows = await paginate(req, reply, membershipsOf(db, id, req.query.type), membershipOrder)
      return presentMemberships(rows)
    },
  )

  app.get(
    '/users/:id/associations_count',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'Count the groups, projects, issues and merge requests of a user',
        params: ByUser,
        response: { 200: AssociationsCount },
      },
    },
    async (req) => {
      const { id } = await findUser(db, req.params.id)
      assertSelfOrAdministrator(req.viewer, id)
      return countAssociations(db, id, req.viewer)
    },
  )
}

/**
 * Allows every order for keyset pages, as the specification does. As on real servers, only administrators can order
 * offset pages otherwise than by default.
 */
function inOfferedOrder(req: PagedRequest): PagedRequest {
  if (req.query.pagination === 'keyset') return req
  const { page, per_page } = req.query
  const { raw, protocol, host, server, viewer } = req
  return { raw, protocol, host, server, viewer, query: { page, per_page } }
}
