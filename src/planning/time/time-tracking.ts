import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { TimeStats } from '#planning/issues/entity.ts'
import { presentTimeStats } from '#planning/issues/present.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { byItem, iidIn, type ItemKind, type ItemRow } from '#planning/noteables/items/kind.ts'
import { estimateTime } from './estimate-time.ts'
import { durationIn, Estimate, SpentTime } from './parameters.ts'
import { resetSpentTime, spendTime } from './spend-time.ts'
import type { Times } from './timed.ts'

/** Time estimates of items of a kind, and the time spent on them. */
export const timeRoutes =
  <Row extends ItemRow>(kind: ItemKind<Row>): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db } = app
    const config = writes(project(kind.abilities.trackTime))
    const params = byItem(kind)

    app.get(
      `${pathOf(kind)}/time_stats`,
      {
        config: reads(project(kind.abilities.read), { anonymous: true }),
        schema: {
          summary: `Get the estimated and spent time of ${kind.title}`,
          params,
          response: { 200: TimeStats },
        },
      },
      async (req) =>
        presentTimeStats(await kind.find(db, req.viewer, req.project(), iidIn(req.params, kind))),
    )

    app.post(
      `${pathOf(kind)}/time_estimate`,
      {
        config,
        schema: {
          summary: `Set the time estimate of ${kind.title}`,
          params,
          body: Estimate,
          response: { 200: TimeStats },
        },
      },
      async (req) => {
        const seconds = durationIn(req.body)
        return changeTime(req, kind, iidIn(req.params, kind), (tx, item) =>
          estimateTime(tx, kind, item, seconds),
        )
      },
    )

    app.post(
      `${pathOf(kind)}/reset_time_estimate`,
      {
        config,
        schema: {
          summary: `Reset the time estimate of ${kind.title}`,
          params,
          response: { 200: TimeStats },
        },
      },
      async (req) =>
        changeTime(req, kind, iidIn(req.params, kind), (tx, item) => estimateTime(tx, kind, item, 0)),
    )

    app.post(
      `${pathOf(kind)}/add_spent_time`,
      {
        config,
        schema: {
          summary: `Add time spent on ${kind.title}`,
          params,
          body: SpentTime,
          response: { 201: TimeStats },
        },
      },
      async (req) => {
        const spent = { seconds: durationIn(req.body), summary: req.body.summary }
        return changeTime(req, kind, iidIn(req.params, kind), (tx, item) => spendTime(tx, kind, item, spent))
      },
    )

    app.post(
      `${pathOf(kind)}/reset_spent_time`,
      {
        config,
        schema: {
          summary: `Reset the time spent on ${kind.title}`,
          params,
          response: { 200: TimeStats },
        },
      },
      async (req) =>
        changeTime(req, kind, iidIn(req.params, kind), (tx, item) => resetSpentTime(tx, kind, item)),
    )
  }

/** Changes the times of the requested item, which it locks. */
async function changeTime<Row extends ItemRow>(
  req: Pick<FastifyRequest, 'viewer' | 'project' | 'write'>,
  kind: ItemKind<Row>,
  iid: number,
  change: (tx: Tx, item: Row) => Promise<Times>,
): Promise<Static<typeof TimeStats>> {
  const stats = await req.write(async (tx) => change(tx, await kind.lock(tx, req.viewer, req.project(), iid)))
  return presentTimeStats(stats)
}
