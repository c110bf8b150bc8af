import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { presentUserBasic, UserBasic } from '#identity/users/basic.ts'
import { pathOf } from '../identity.ts'
import { byItem, iidIn, type ItemKind, type ItemRow } from './kind.ts'
import { participantOrder, participantsOf } from './participants.ts'

/** The participants of items of a kind. */
export const participantRoutes =
  <Row extends ItemRow>(kind: ItemKind<Row>): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = app

    app.get(
      `${pathOf(kind)}/participants`,
      {
        config: reads(project(kind.abilities.read), { anonymous: true }),
        schema: {
          summary: `List the participants of ${kind.title}`,
          description: `${kind.participants}, everybody who commented, and everybody who is mentioned.`,
          params: byItem(kind),
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(UserBasic) },
        },
      },
      async (req, reply) => {
        const authorized = req.project()
        const { id } = await kind.findBare(db, req.viewer, authorized, iidIn(req.params, kind))
        const query = participantsOf(db, req.viewer, authorized, kind, id)
        const people = await paginate(req, reply, query, participantOrder)
        return people.map((row) => presentUserBasic(row, req.site))
      },
    )
  }
