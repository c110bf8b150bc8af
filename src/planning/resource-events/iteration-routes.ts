import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { noteableOf } from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { byNoteable } from '#planning/noteables/paths.ts'

/** The changes of the iteration: there are no iterations, so nothing has any. */
export function iterationEventRoutes(kind: NoteableKind): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      `${pathOf(kind)}/resource_iteration_events`,
      {
        config: guardsOf(kind).reading,
        schema: {
          summary: `List the changes of the iteration of ${kind.title}`,
          description: 'Empty: there are no iterations.',
          params: byNoteable(kind, {}),
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(Type.Object({})) },
        },
      },
      async (req, reply) => {
        await noteableOf(req, kind)
        return paginateNothing(req, reply)
      },
    )
  }
}
