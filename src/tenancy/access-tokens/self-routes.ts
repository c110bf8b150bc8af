import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import {
  ResourceToken,
  ResourceTokenWithSecret,
  presentFreshResourceToken,
  presentResourceToken,
} from '#identity/tokens/entity.ts'
import { Rotation } from '#identity/tokens/schema.ts'

import { findOwn, findOwnRotatable } from './policy.ts'
import { tiers } from './tiers.ts'
import { revokeToken } from '#identity/tokens/revoke-token.ts'
import { rotateFor, watchForReuse } from '#identity/tokens/rotation.ts'

/** Routes with which a token of a project or group reads and changes itself, whatever its level. */
export const resourceSelfTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { clock } = app.services

  for (const { kind, seen, open } of projectsAndGroups) {
    const self = `/${kind}s/:id/access_tokens/self` as const

    app.get(
      self,
      {
        config: reads(seen, { scopes: [] }),
        schema: {
          summary: `Get the ${kind} access token of this request`,
          params: ById,
          response: { 200: ResourceToken },
        },
      },
      async (req) => {
        const { container } = open(req)
        return presentResourceToken(await findOwn(req, container), container, clock.now())
      },
    )

    app.post(
      `${self}/rotate`,
      {
        config: writes(seen, { tier: tiers[kind], scopes: ['api', 'self_rotate'] }),
        errorHandler: watchForReuse,
        schema: {
          summary: `Rotate the ${kind} access token of this request`,
          description: 'The secret of this request stops working. See the rotation by id.',
          params: ById,
          body: Rotation,
          refuses: [405],
          response: { 200: ResourceTokenWithSecret },
        },
      },
      async (req) => {
        const authorized = open(req)
        const token = await findOwnRotatable(req, authorized)
        const fresh = await rotateFor(req, token, req.body.expires_at)
        return presentFreshResourceToken(fresh, authorized.container, clock.now())
      },
    )

    app.delete(
      self,
      {
        config: writes(seen, { scopes: [] }),
        schema: {
          summary: `Revoke the ${kind} access token of this request`,
          params: ById,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const token = await findOwn(req, open(req).container)
        await req.write((tx) => revokeToken(tx, token))
      },
    )
  }
}
