import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { forbidden } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { ImpersonationToken, ImpersonationTokenWithSecret, presentImpersonationToken } from './entity.ts'
import { assertMayHandOut } from './handing-out.ts'
import { issueToken } from './issue-token.ts'
import { ByImpersonationToken, ByUser, ImpersonationTokenFilter } from './parameters.ts'
import { NewToken } from './schema.ts'
import { filterTokens, findHolder, findImpersonationToken, tokenOrder, tokensIn } from './queries.ts'
import { revokeToken } from './revoke-token.ts'

/** Impersonation tokens. They act as a user but belong to administrators, and the user does not see them. */
export const impersonationTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock, settings } = app.services

  app.get(
    '/users/:user_id/impersonation_tokens',
    {
      config: reads(admin),
      schema: {
        summary: 'List the impersonation tokens of a user',
        params: ByUser,
        querystring: ImpersonationTokenFilter,
        response: { 200: Type.Array(ImpersonationToken) },
      },
    },
    async (req, reply) => {
      const { id } = await findHolder(db, req.params.user_id)
      const all = tokensIn(db).where('t.user_id', '=', id).where('t.kind', '=', 'impersonation')
      const rows = await paginate(req, reply, filterTokens(all, req.query, req.viewer.today), tokenOrder)
      return rows.map((row) => presentImpersonationToken(row, clock.now()))
    },
  )

  app.get(
    '/users/:user_id/impersonation_tokens/:impersonation_token_id',
    {
      config: reads(admin),
      schema: {
        summary: 'Get an impersonation token of a user',
        params: ByImpersonationToken,
        response: { 200: ImpersonationToken },
      },
    },
    async (req) => {
      const { user_id, impersonation_token_id } = req.params
      const { id } = await findHolder(db, user_id)
      const token = await findImpersonationToken(db, id, impersonation_token_id)
      return presentImpersonationToken(token, clock.now())
    },
  )

  app.post(
    '/users/:user_id/impersonation_tokens',
    {
      config: writes(admin),
      schema: {
        summary: 'Create an impersonation token for a user',
        params: ByUser,
        body: NewToken,
        response: { 201: ImpersonationTokenWithSecret },
      },
    },
    async (req) => {
      assertMayHandOut(req.identity, req.body.scopes)
      const token = await req.write(async (tx) => {
        const holder = await findHolder(tx.db, req.params.user_id)
        if (!settings().impersonation_enabled) throw forbidden('Impersonation is disabled')
        return issueToken(tx, 'impersonation', holder, req.body, settings())
      })
      const shown = presentImpersonationToken(token, clock.now())
      return { ...shown, token: token.secret }
    },
  )

  app.delete(
    '/users/:user_id/impersonation_tokens/:impersonation_token_id',
    {
      config: writes(admin),
      schema: {
        summary: 'Revoke an impersonation token of a user',
        params: ByImpersonationToken,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { user_id, impersonation_token_id } = req.params
      await req.write(async (tx) => {
        const { id } = await findHolder(tx.db, user_id)
        await revokeToken(tx, await findImpersonationToken(tx.db, id, impersonation_token_id))
      })
    },
  )
}
