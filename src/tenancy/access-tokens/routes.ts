import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { createResourceToken } from './create-resource-token.ts'
import {
  ResourceToken,
  ResourceTokenWithSecret,
  presentFreshResourceToken,
  presentResourceToken,
} from '#identity/tokens/entity.ts'
import { Rotation, TokenFilter } from '#identity/tokens/schema.ts'
import { ByResourceToken, NewResourceToken } from './parameters.ts'
import { assertOwnLevel, findRotatable } from './policy.ts'
import { tiers } from './tiers.ts'
import { filterTokens, findResourceToken, tokenOrder, tokensOf } from '#identity/tokens/queries.ts'
import { revokeToken } from '#identity/tokens/revoke-token.ts'
import { rotateFor, watchForReuse } from '#identity/tokens/rotation.ts'

/**
 * Access tokens of projects and groups; self-routes.ts has the routes with which such a token reads or changes itself.
 */
export const resourceTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock, config, settings } = app.services
  const host = new URL(config.externalUrl ?? 'http://localhost').hostname

  for (const { kind, subject, seen, open } of projectsAndGroups) {
    const tier = tiers[kind]
    const base = `/${kind}s/:id/access_tokens` as const

    app.get(
      base,
      {
        // No tier is needed, as for revoking: people who lose the plan still find what they made under it.
        config: reads(subject('read_access_token')),
        schema: {
          summary: `List the access tokens of a ${kind}`,
          params: ById,
          querystring: TokenFilter,
          response: { 200: Type.Array(ResourceToken) },
        },
      },
      async (req, reply) => {
        const { container } = open(req)
        const tokens = filterTokens(tokensOf(db, container), req.query, req.viewer.today)
        const rows = await paginate(req, reply, tokens, tokenOrder)
        return rows.map((row) => presentResourceToken(row, container, clock.now()))
      },
    )

    app.get(
      `${base}/:token_id`,
      {
        config: reads(subject('read_access_token')),
        schema: {
          summary: `Get an access token of a ${kind}`,
          params: ByResourceToken,
          response: { 200: ResourceToken },
        },
      },
      async (req) => {
        const { container } = open(req)
        return presentResourceToken(
          await findResourceToken(db, container, req.params.token_id),
          container,
          clock.now(),
        )
      },
    )

    app.post(
      base,
      {
        config: writes(subject('create_access_token'), { tier, personalTokenOnly: true }),
        schema: {
          summary: `Create an access token of a ${kind}`,
          description:
            `Creates a bot, which acts with the token and is a member of the ${kind} with its role. ` +
            'Without `expires_at`, the token lasts as long as the instance allows.',
          params: ById,
          body: NewResourceToken,
          response: { 201: ResourceTokenWithSecret },
        },
      },
      async (req) => {
        const { container, accessContext } = open(req)
        assertOwnLevel(accessContext, req.body.access_level)
        const bot = { external: req.viewer.external, host }
        const token = await req.write((tx) => createResourceToken(tx, container, req.body, settings(), bot))
        return presentFreshResourceToken(token, container, clock.now())
      },
    )

    app.post(
      `${base}/:token_id/rotate`,
      {
        // Unauthorized callers get 401 here, not 403: see findRotatable.
        config: writes(seen, { tier }),
        errorHandler: watchForReuse,
        schema: {
          summary: `Rotate an access token of a ${kind}`,
          description:
            'Replaces the token by a new one for the same bot, and revokes it. Rotating a token that is already ' +
            'revoked also revokes its successors: after several rotations at the same time, at most one token works.',
          params: ByResourceToken,
          body: Rotation,
          refuses: [405],
          response: { 200: ResourceTokenWithSecret },
        },
      },
      async (req) => {
        const authorized = open(req)
        const token = await findRotatable(req, authorized, req.params.token_id)
        const fresh = await rotateFor(req, token, req.body.expires_at)
        return presentFreshResourceToken(fresh, authorized.container, clock.now())
      },
    )

    app.delete(
      `${base}/:token_id`,
      {
        config: writes(subject('end_access_token')),
        schema: {
          summary: `Revoke an access token of a ${kind}`,
          description: 'Ends the membership of its bot. What the bot wrote stays.',
          params: ByResourceToken,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const { container } = open(req)
        await req.write(async (tx) =>
          revokeToken(tx, await findResourceToken(tx.db, container, req.params.token_id)),
        )
      },
    )
  }
}
