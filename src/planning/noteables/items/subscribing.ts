import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { project, writes } from '#platform/access/route-access.ts'
import { NoContent } from '#platform/http/schema.ts'
import { chooseSubscription } from './choose-subscription.ts'
import { pathOf } from '../identity.ts'
import { byItem, iidIn, type ItemKind, type ItemRow } from './kind.ts'

/** Subscribing to items of a kind. */
export const subscriptionRoutes =
  <Row extends ItemRow>(kind: ItemKind<Row>): FastifyPluginAsyncTypebox =>
  async (app) => {
    for (const [verb, summary, subscribed] of [
      ['subscribe', `Subscribe to ${kind.title}`, true],
      ['unsubscribe', `Unsubscribe from ${kind.title}`, false],
    ] as const) {
      app.post(
        `${pathOf(kind)}/${verb}`,
        {
          config: writes(project(kind.abilities.subscribe)),
          schema: {
            summary,
            description: `Participants of ${kind.title} are subscribed automatically.`,
            params: byItem(kind),
            response: { 201: kind.entity, 304: NoContent },
          },
        },
        async (req, reply) => {
          const { item, changed } = await req.write(async (tx) => {
            const found = await kind.find(tx.db, req.viewer, req.project(), iidIn(req.params, kind))
            return { item: found, changed: await chooseSubscription(tx, found, req.user().id, subscribed) }
          })
          if (!changed) return reply.code(304).send()
          return kind.present(req, { ...item, subscribed })
        },
      )
    }
  }
