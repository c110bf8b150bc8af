import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type SelectQueryBuilder, sql } from 'kysely'
import { type TSchema, Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/http/errors.ts'
import { pageParameters, rowsOf } from '#platform/http/order.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, integer, MAX_INT4 } from '#platform/http/schema.ts'
import { findBareIssue } from '#planning/issues/bare-issue.ts'
import { noteables } from '#planning/noteables/noteables.ts'
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
import {
  type Eventable,
  type EventableKind,
  eventOrder,
  labelEventsOf,
  milestoneEventsOf,
  stateEventsOf,
  weightEventsOf,
} from './queries.ts'

/** Who closed and reopened something, and who changed its labels, milestone and weight: these changes are not notes. */
export const resourceEventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [kind, find] of finders) {
    await app.register(
      eventRoutes(kind, find, {
        name: 'state',
        entity: ResourceStateEvent,
        list: stateEventsOf,
        present: presentStateEvent,
      }),
    )
    await app.register(
      eventRoutes(kind, find, {
        name: 'label',
        entity: ResourceLabelEvent,
        list: labelEventsOf,
        present: presentLabelEvent,
      }),
    )
    await app.register(
      eventRoutes(kind, find, {
        name: 'milestone',
        entity: ResourceMilestoneEvent,
        list: milestoneEventsOf,
        lacks: ({ milestone }) => milestone?.left_out ?? 0,
        present: presentMilestoneEvent,
      }),
    )
    await app.register(
      eventRoutes(kind, find, {
        name: 'weight',
        entity: ResourceWeightEvent,
        list: weightEventsOf,
        present: presentWeightEvent,
      }),
    )
  }
}

type Find = (db: Db, req: FastifyRequest, number: number) => Promise<Eventable>

/** How each kind is found by the number in a path. */
const finders: readonly (readonly [EventableKind, Find])[] = [
  [
    'issue',
    async (db, req, number) => {
      const door = req.project()
      const { id } = await findBareIssue(db, req.viewer, door, number, noteables.issue.type)
      return { kind: 'issue', id, traversal_ids: door.place.traversal_ids }
    },
  ],
]

/** Events of one sort, as a list and one by one. */
interface Events<DB, TB extends keyof DB, Row extends EventRow> {
  readonly name: string
  readonly entity: TSchema
  readonly list: (db: Db, on: Eventable, longest?: number) => SelectQueryBuilder<DB, TB, Row>
  /** Bytes of the texts longer than `longest` that a row was read without. */
  readonly lacks?: (row: Row) => number
  readonly present: (row: Row, audience: Audience) => unknown
}

function eventRoutes<DB, TB extends keyof DB, Row extends EventRow>(
  kind: EventableKind,
  find: Find,
  { name, entity, list, lacks = () => 0, present }: Events<DB, TB, Row>,
): FastifyPluginAsyncTypebox {
  const { container, segment, param, abilities } = noteables[kind]
  const events = `/${container}s/:id/${segment}/:${param}/resource_${name}_events` as const
  const target = { ...ById.properties, [param]: integer({ minimum: 1, maximum: MAX_INT4 }) }
  const audienceOf = ({ site, viewer }: FastifyRequest): Audience => ({ site, today: viewer.today })

  return async (app) => {
    const { db } = app

    app.get(
      events,
      {
        config: reads(project(abilities.read)),
        schema: {
          summary: `List the ${name} changes of an ${kind}`,
          description: 'Oldest first.',
          params: Type.Object(target),
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(entity) },
        },
      },
      async (req, reply) => {
        const on = await find(db, req, req.params[param])
        const rows = await paginate(req, reply, list(db, on, inlineBytes(req.query)), eventOrder)
        const whole = (ids: readonly number[]) => rowsOf<Row>(db, list(db, on).where(isAnyOf('e.id', ids)))
        return sendLong(req, reply, { rows, lacks, whole }, (some) =>
          some.map((row) => present(row, audienceOf(req))),
        )
      },
    )

    app.get(
      `${events}/:event_id`,
      {
        config: reads(project(abilities.read)),
        schema: {
          summary: `Get a change of the ${name}${name === 'label' ? 's' : ''} of an ${kind}`,
          params: Type.Object({ ...target, event_id: integer({ minimum: 1 }) }),
          response: { 200: entity },
        },
      },
      async (req) => {
        const on = await find(db, req, req.params[param])
        const [row] = await rowsOf<Row>(db, list(db, on).where(sql<boolean>`e.id = ${req.params.event_id}`))
        if (row === undefined) throw notFound()
        return present(row, audienceOf(req))
      },
    )
  }
}
