import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import { unauthorized } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { PersonalToken, PersonalTokenWithSecret, presentFreshToken, presentToken } from './entity.ts'
import { assertMayHandOut } from './handing-out.ts'
import { issueToken } from './issue-token.ts'
import { ByToken, ByUser, NewOwnToken, PersonalTokenFilter } from './parameters.ts'
import { NewToken, Rotation } from './schema.ts'
import { filterTokens, findHolder, findToken, tokenOrder, tokensFor } from './queries.ts'
import { revokeToken } from './revoke-token.ts'
import { assertPersonal, rotateFor, watchForReuse } from './rotation.ts'

/** Personal access tokens; self-routes.ts has the routes with which a token reads or changes itself. */
export const tokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock, settings } = app.services

  app.get(
    '/personal_access_tokens',
    {
      config: reads(anyone),
      schema: {
        summary: 'List personal access tokens',
        description: 'Administrators see the tokens of all users, others see their own.',
        querystring: PersonalTokenFilter,
        response: { 200: Type.Array(PersonalToken) },
      },
    },
    async (req, reply) => {
      const { viewer, query } = req
      if (!viewer.admin && (query.user_id ?? viewer.id) !== viewer.id) throw unauthorized()
      const tokens = filterTokens(tokensFor(db, viewer), query, viewer.today)
      const rows = await paginate(req, reply, tokens, tokenOrder)
      return rows.map((row) => presentToken(row, clock.now()))
    },
  )

  app.get(
    '/personal_access_tokens/:id',
    {
      config: reads(anyone),
      schema: {
        summary: 'Get a personal access token',
        params: ByToken,
        response: { 200: PersonalToken },
      },
    },
    async (req) => presentToken(await findToken(db, req.viewer, req.params.id), clock.now()),
  )

  app.post(
    '/personal_access_tokens/:id/rotate',
    {
      config: writes(anyone),
      errorHandler: watchForReuse,
      schema: {
        summary: 'Rotate a personal access token',
        description:
          'Replaces the token by a new one and revokes it. Rotating a token that is already revoked also revokes ' +
          'its successors: after several rotations at the same time, at most one token works.',
        params: ByToken,
        body: Rotation,
        refuses: [405],
        response: { 200: PersonalTokenWithSecret },
      },
    },
    async (req) => {
      const token = await findToken(db, req.viewer, req.params.id)
      assertPersonal(token)
      return presentFreshToken(await rotateFor(req, token, req.body.expires_at), clock.now())
    },
  )

  app.delete(
    '/personal_access_tokens/:id',
    {
      config: writes(anyone),
      schema: {
        summary: 'Revoke a personal access token',
        params: ByToken,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => revokeToken(tx, await findToken(tx.db, req.viewer, req.params.id)))
    },
  )

  app.post(
    '/user/personal_access_tokens',
    {
      config: writes(anyone),
      schema: {
        summary: 'Create a personal access token for yourself',
        description: 'Only with scopes that open nothing else in the API.',
        body: NewOwnToken,
        response: { 201: PersonalTokenWithSecret },
      },
    },
    async (req) => {
      assertMayHandOut(req.identity, req.body.scopes)
      const token = await req.write((tx) => issueToken(tx, 'personal', req.user(), req.body, settings()))
      return presentFreshToken(token, clock.now())
    },
  )

  app.post(
    '/users/:user_id/personal_access_tokens',
    {
      config: writes(admin),
      schema: {
        summary: 'Create a personal access token for a user',
        params: ByUser,
        body: NewToken,
        response: { 201: PersonalTokenWithSecret },
      },
    },
    async (req) => {
      assertMayHandOut(req.identity, req.body.scopes)
      const token = await req.write(async (tx) =>
        issueToken(tx, 'personal', await findHolder(tx.db, req.params.user_id), req.body, settings()),
      )
      return presentFreshToken(token, clock.now())
    },
  )
}
