import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { createPlaceToken } from './create-place-token.ts'
import {
  PlaceToken,
  PlaceTokenWithSecret,
  presentFreshPlaceToken,
  presentPlaceToken,
} from '#identity/tokens/entity.ts'
import { Rotation, TokenFilter } from '#identity/tokens/schema.ts'
import { ByPlaceToken, NewPlaceToken } from './parameters.ts'
import { demandOwnLevel, findRotatable } from './place-policy.ts'
import { tiers } from './tiers.ts'
import { filterTokens, findPlaceToken, tokenOrder, tokensOf } from '#identity/tokens/queries.ts'
import { revokeToken } from '#identity/tokens/revoke-token.ts'
import { rotateFor, watchForReuse } from '#identity/tokens/rotation.ts'

/** Access tokens of projects and groups; what such a token may ask of itself is in place-self-routes.ts. */
export const placeTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock, config, settings } = app.services
  const host = new URL(config.externalUrl ?? 'http://localhost').hostname

  for (const { kind, subject, seen, open } of projectsAndGroups) {
    const tier = tiers[kind]
    const base = `/${kind}s/:id/access_tokens` as const

    app.get(
      base,
      {
        // Without a tier, as revoking: whoever loses the plan still finds what was made under it.
        config: reads(subject('read_access_token')),
        schema: {
          summary: `List the access tokens of a ${kind}`,
          params: ById,
          querystring: TokenFilter,
          response: { 200: Type.Array(PlaceToken) },
        },
      },
      async (req, reply) => {
        const { place } = open(req)
        const tokens = filterTokens(tokensOf(db, place), req.query, req.viewer.today)
        const rows = await paginate(req, reply, tokens, tokenOrder)
        return rows.map((row) => presentPlaceToken(row, place, clock.now()))
      },
    )

    app.get(
      `${base}/:token_id`,
      {
        config: reads(subject('read_access_token')),
        schema: {
          summary: `Get an access token of a ${kind}`,
          params: ByPlaceToken,
          response: { 200: PlaceToken },
        },
      },
      async (req) => {
        const { place } = open(req)
        return presentPlaceToken(await findPlaceToken(db, place, req.params.token_id), place, clock.now())
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
          body: NewPlaceToken,
          response: { 201: PlaceTokenWithSecret },
        },
      },
      async (req, reply) => {
        const { place, standing } = open(req)
        demandOwnLevel(standing, req.body.access_level)
        const bot = { external: req.viewer.external, host }
        const token = await req.write((tx) => createPlaceToken(tx, place, req.body, settings(), bot))
        return reply.code(201).send(presentFreshPlaceToken(token, place, clock.now()))
      },
    )

    app.post(
      `${base}/:token_id/rotate`,
      {
        // Who may not answers 401 here, not 403: see findRotatable.
        config: writes(seen, { tier }),
        errorHandler: watchForReuse,
        schema: {
          summary: `Rotate an access token of a ${kind}`,
          description:
            'Replaces the token by a new one for the same bot, and revokes it. Rotating a token that is already ' +
            'revoked also revokes its successors: after several rotations at the same time, at most one token works.',
          params: ByPlaceToken,
          body: Rotation,
          refuses: [405],
          response: { 200: PlaceTokenWithSecret },
        },
      },
      async (req) => {
        const door = open(req)
        const token = await findRotatable(req, door, req.params.token_id)
        const fresh = await rotateFor(req, token, req.body.expires_at)
        return presentFreshPlaceToken(fresh, door.place, clock.now())
      },
    )

    app.delete(
      `${base}/:token_id`,
      {
        config: writes(subject('end_access_token')),
        schema: {
          summary: `Revoke an access token of a ${kind}`,
          description: 'Ends the membership of its bot. What the bot wrote stays.',
          params: ByPlaceToken,
          response: { 204: NoContent },
        },
      },
      async (req, reply) => {
        const { place } = open(req)
        await req.write(async (tx) =>
          revokeToken(tx, await findPlaceToken(tx.db, place, req.params.token_id)),
        )
        return reply.code(204).send()
      },
    )
  }
}
