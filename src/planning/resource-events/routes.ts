import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type SelectQueryBuilder, sql } from 'kysely'
import { type TSchema, Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { ResourceEventKind } from '#platform/db/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { pageParameters, rowsOf } from '#platform/http/order.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { integer } from '#platform/http/schema.ts'
import { noteableOf, type Noteable } from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { byNoteable } from '#planning/noteables/paths.ts'
import {
  type Audience,
  type EventRow,
  presentLabelEvent,
  presentMilestoneEvent,
  presentStateEvent,
  presentWeightEvent,
  ResourceLabelEvent,
  ResourceMilestoneEvent,
  ResourceStateEvent,
  ResourceWeightEvent,
} from './entity.ts'
import { iterationEventRoutes } from './iteration-routes.ts'
import { eventOrder, labelEventsOf, milestoneEventsOf, stateEventsOf, weightEventsOf } from './queries.ts'

/** Lists of changes of state, labels, milestone and weight, with their authors; these changes are not notes. */
export const resourceEventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of noteableKinds()) {
    for (const list of kind.resourceEvents.lists) await app.register(routesOf[list](kind))
  }
}

/** The routes of each list. */
const routesOf: Readonly<
  Record<ResourceEventKind | 'iteration', (kind: NoteableKind) => FastifyPluginAsyncTypebox>
> = {
  iteration: iterationEventRoutes,
  state: (kind) =>
    eventRoutes(kind, {
      name: 'state',
      entity: ResourceStateEvent,
      list: stateEventsOf,
      present: presentStateEvent,
    }),
  label: (kind) =>
    eventRoutes(kind, {
      name: 'label',
      entity: ResourceLabelEvent,
      list: labelEventsOf,
      present: presentLabelEvent,
    }),
  milestone: (kind) =>
    eventRoutes(kind, {
      name: 'milestone',
      entity: ResourceMilestoneEvent,
      list: milestoneEventsOf,
      lacks: ({ milestone }) => milestone?.left_out ?? 0,
      present: presentMilestoneEvent,
    }),
  weight: (kind) =>
    eventRoutes(kind, {
      name: 'weight',
      entity: ResourceWeightEvent,
      list: weightEventsOf,
      present: presentWeightEvent,
    }),
}

/** Events of one kind, as a list and one by one. */
interface Events<DB, TB extends keyof DB, Row extends EventRow> {
  readonly name: string
  readonly entity: TSchema
  readonly list: (db: Db, on: Noteable, longest?: number) => SelectQueryBuilder<DB, TB, Row>
  /** The size in bytes of the texts longer than `longest` that were left out of a row. */
  readonly lacks?: (row: Row) => number
  readonly present: (row: Row, audience: Audience) => unknown
}

function eventRoutes<DB, TB extends keyof DB, Row extends EventRow>(
  kind: NoteableKind,
  { name, entity, list, lacks = () => 0, present }: Events<DB, TB, Row>,
): FastifyPluginAsyncTypebox {
  const path = `${pathOf(kind)}/resource_${name}_events`
  const { reading } = guardsOf(kind)
  const { deprecated } = kind
  const changes = `of the ${name}${name === 'label' ? 's' : ''} of ${kind.title}`
  const audienceOf = ({ site, viewer }: FastifyRequest): Audience => ({ site, today: viewer.today })

  return async (app) => {
    const { db } = app

    app.get(
      path,
      {
        config: reading,
        schema: {
          summary: `List the changes ${changes}`,
          deprecated,
          description: 'Oldest first.',
          params: byNoteable(kind, {}),
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(entity) },
        },
      },
      async (req, reply) => {
        const on = await noteableOf(req, kind)
        const rows = await paginate(req, reply, list(db, on, inlineBytes(req.query)), eventOrder)
        const whole = (ids: readonly number[]) => rowsOf<Row>(db, list(db, on).where(isAnyOf('e.id', ids)))
        return sendLong(req, reply, { rows, lacks, whole }, (some) =>
          some.map((row) => present(row, audienceOf(req))),
        )
      },
    )

    app.get(
      `${path}/:event_id`,
      {
        config: reading,
        schema: {
          summary: `Get a change ${changes}`,
          deprecated,
          params: byNoteable(kind, { event_id: integer({ minimum: 1 }) }),
          response: { 200: entity },
        },
      },
      async (req) => {
        const on = await noteableOf(req, kind)
        const [row] = await rowsOf<Row>(db, list(db, on).where(sql<boolean>`e.id = ${req.params.event_id}`))
        if (row === undefined) throw notFound()
        return present(row, audienceOf(req))
      },
    )
  }
}
