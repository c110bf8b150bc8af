import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NoContent } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { associateUpstream } from './associate-upstream.ts'
import { Association } from './entity.ts'
import { authorizeIn, hiddenUnlessOpen, writesById } from './gate.ts'
import { ByAssociation, NewAssociation, NewPosition } from './parameters.ts'
import { numberFrom, numberIn } from './path-ids.ts'
import { dissociateUpstream, moveUpstream } from './positions.ts'
import { findAssociation, findGroupOf, lockRegistry } from './queries.ts'

const collection = '/virtual_registries/container/registry_upstreams'

/** Which registries have which upstreams, in which order. */
export const associationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const byId = {
    preValidation: hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'association', id))),
    config: writesById,
  }

  app.post(
    collection,
    {
      preValidation: hiddenUnlessOpen(({ body }) =>
        numberFrom(new Map<string, unknown>(Object.entries(Object(body))).get('registry_id'), (id) =>
          findGroupOf(db, 'registry', id),
        ),
      ),
      config: writesById,
      schema: {
        summary: 'Add an upstream to a container virtual registry',
        description: 'As its last one. A registry has five upstreams at most.',
        body: NewAssociation,
        response: { 201: Association },
      },
    },
    async (req) => {
      const { registry_id, upstream_id } = req.body
      const { id } = await authorizeIn(
        req,
        await findGroupOf(db, 'registry', registry_id),
        'admin_virtual_registry',
      )
      // Whether an upstream of somebody else exists is not told.
      const there = await findGroupOf(db, 'upstream', upstream_id)
      if (there !== id)
        await authorizeIn(req, there, 'admin_virtual_registry').catch(() => {
          throw notFound('Upstream')
        })
      return req.write(async (tx) => associateUpstream(tx, await lockRegistry(tx, registry_id), upstream_id))
    },
  )

  app.patch(
    `${collection}/:id`,
    {
      ...byId,
      schema: {
        summary: 'Move an upstream within the order of a container virtual registry',
        params: ByAssociation,
        body: NewPosition,
        response: { 200: Association },
      },
    },
    async (req) => {
      const { id } = req.params
      await authorizeIn(req, await findGroupOf(db, 'association', id), 'admin_virtual_registry')
      return req.write(async (tx) => {
        const { registry_id } = await findAssociation(tx.db, id)
        return moveUpstream(tx, await lockRegistry(tx, registry_id), id, req.body.position)
      })
    },
  )

  app.delete(
    `${collection}/:id`,
    {
      ...byId,
      schema: {
        summary: 'Take an upstream out of a container virtual registry',
        description: 'The upstream stays one of the group.',
        params: ByAssociation,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = req.params
      await authorizeIn(req, await findGroupOf(db, 'association', id), 'admin_virtual_registry')
      await req.write(async (tx) => {
        const { registry_id } = await findAssociation(tx.db, id)
        await dissociateUpstream(tx, await lockRegistry(tx, registry_id), id)
      })
    },
  )
}
