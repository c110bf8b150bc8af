import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyone, reads, writes } from '#platform/access/route-access.ts'
import { badRequest, unauthorized } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import {
  Associations,
  groupOrder,
  groupsOf,
  presentAssociations,
  projectOrder,
  projectsOf,
} from './associations.ts'
import {
  OwnToken,
  PersonalTokenWithSecret,
  presentFreshToken,
  presentToken,
  type TokenRow,
} from './entity.ts'
import { AssociationFilter } from './parameters.ts'
import { Rotation } from './schema.ts'
import { tokensIn } from './queries.ts'
import { revokeToken } from './revoke-token.ts'
import { assertPersonal, rotateFor, watchForReuse } from './rotation.ts'

/** Any scope will do: every token may read and revoke itself. */
const anyScope = { scopes: [] }

/** Routes with which the request's own token reads and changes itself. */
export const selfTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock } = app.services

  app.get(
    '/personal_access_tokens/self',
    {
      config: reads(anyone, anyScope),
      schema: {
        summary: 'Get the token of this request',
        description: 'Also answers project and group tokens, so that a bot knows when its token expires.',
        response: { 200: OwnToken },
      },
    },
    async (req) => ({ ...presentToken(await tokenOf(req), clock.now()), last_used_ips: [] }),
  )

  app.get(
    '/personal_access_tokens/self/associations',
    {
      config: reads(anyone),
      schema: {
        summary: "List the groups and projects that this request's token can open",
        querystring: AssociationFilter,
        response: { 200: Associations },
      },
    },
    async (req, reply) => {
      const { viewer, query } = req
      const level = query.min_access_level
      const groups = await paginate(req, reply, groupsOf(db, viewer, level), groupOrder)
      const ofGroups = pageHeaders(reply)
      const projects = await paginate(req, reply, projectsOf(db, viewer, level), projectOrder)
      // One page of each list; the headers are those of the longer one.
      if (totalIn(ofGroups) > totalIn(pageHeaders(reply))) reply.headers(ofGroups)
      return presentAssociations(groups, projects, req.site)
    },
  )

  app.post(
    '/personal_access_tokens/self/rotate',
    {
      config: writes(anyone, { scopes: ['api', 'self_rotate'] }),
      errorHandler: watchForReuse,
      schema: {
        summary: 'Rotate the token of this request',
        description: 'The secret of this request stops working. See the rotation by id.',
        body: Rotation,
        refuses: [405],
        response: { 200: PersonalTokenWithSecret },
      },
    },
    async (req) => {
      const token = await tokenOf(req)
      assertPersonal(token)
      return presentFreshToken(await rotateFor(req, token, req.body.expires_at), clock.now())
    },
  )

  app.delete(
    '/personal_access_tokens/self',
    {
      config: writes(anyone, anyScope),
      schema: { summary: 'Revoke the token of this request', response: { 204: NoContent } },
    },
    async (req) => {
      const token = await ownToken(req)
      await req.write((tx) => revokeToken(tx, token))
    },
  )
}

async function tokenOf(req: FastifyRequest): Promise<TokenRow> {
  const credential = req.identity?.credential
  if (credential === undefined) throw unauthorized()
  // Sessions and OAuth tokens have tables of their own.
  if (credential.kind === 'session' || credential.kind === 'oauth')
    throw badRequest('not a personal access token')
  const token = await tokensIn(req.server.db).where('t.id', '=', credential.id).executeTakeFirst()
  if (token === undefined) throw unauthorized()
  return token
}

/** @throws 400 when the request used a token of a project or group: those are not personal. */
async function ownToken(req: FastifyRequest): Promise<TokenRow> {
  const token = await tokenOf(req)
  if (token.kind === 'project' || token.kind === 'group') throw badRequest('not a personal access token')
  return token
}

const PAGE_HEADERS = [
  'link',
  'x-page',
  'x-per-page',
  'x-next-page',
  'x-prev-page',
  'x-total',
  'x-total-pages',
]

function pageHeaders(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    PAGE_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}

/** A list without a total is too long to count. */
const totalIn = (headers: Readonly<Record<string, string>>) => Number(headers['x-total'] ?? Infinity)
