import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { FreezePeriod, presentFreezePeriod } from './entity.ts'
import { ByFreezePeriod, FreezePeriodChanges, FreezePeriodFilter, NewFreezePeriod } from './parameters.ts'
import { findFreezePeriod, freezePeriodOrder, freezePeriodsOf, lockFreezePeriod } from './queries.ts'
import { createFreezePeriod, deleteFreezePeriod, updateFreezePeriod } from './write-freeze-period.ts'

/** Freeze periods: when nobody should deploy a project. */
export const freezePeriodRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/freeze_periods',
    {
      config: reads(project('read_freeze_period')),
      schema: {
        summary: 'List the freeze periods of a project',
        description: 'Oldest first.',
        params: ById,
        querystring: FreezePeriodFilter,
        response: { 200: Type.Array(FreezePeriod) },
      },
    },
    async (req, reply) => {
      const all = freezePeriodsOf(db, req.project().container.id)
      return (await paginate(req, reply, all, freezePeriodOrder)).map(presentFreezePeriod)
    },
  )

  app.get(
    '/projects/:id/freeze_periods/:freeze_period_id',
    {
      config: reads(project('read_freeze_period')),
      schema: { summary: 'Get a freeze period', params: ByFreezePeriod, response: { 200: FreezePeriod } },
    },
    async (req) => {
      const all = freezePeriodsOf(db, req.project().container.id)
      return presentFreezePeriod(await findFreezePeriod(all, req.params.freeze_period_id))
    },
  )

  app.post(
    '/projects/:id/freeze_periods',
    {
      config: writes(project('admin_freeze_period')),
      schema: {
        summary: 'Create a freeze period',
        params: ById,
        body: NewFreezePeriod,
        response: { 201: FreezePeriod },
      },
    },
    async (req) => {
      const made = await req.write((tx) => createFreezePeriod(tx, req.project().container, req.body))
      return presentFreezePeriod(made)
    },
  )

  app.put(
    '/projects/:id/freeze_periods/:freeze_period_id',
    {
      config: writes(project('admin_freeze_period')),
      schema: {
        summary: 'Change a freeze period',
        params: ByFreezePeriod,
        body: FreezePeriodChanges,
        refuses: [412],
        response: { 200: FreezePeriod },
      },
    },
    async (req) => {
      const { id, namespace_id } = req.project().container
      const changed = await req.write(async (tx) => {
        const known = await lockFreezePeriod(tx, id, req.params.freeze_period_id)
        assertUnmodified(req, known.updated_at)
        return updateFreezePeriod(tx, namespace_id, known, req.body)
      })
      return presentFreezePeriod(changed)
    },
  )

  app.delete(
    '/projects/:id/freeze_periods/:freeze_period_id',
    {
      config: writes(project('admin_freeze_period')),
      schema: {
        summary: 'Delete a freeze period',
        params: ByFreezePeriod,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id, namespace_id } = req.project().container
      await req.write(async (tx) => {
        const known = await lockFreezePeriod(tx, id, req.params.freeze_period_id, true)
        assertUnmodified(req, known.updated_at)
        await deleteFreezePeriod(tx, namespace_id, known)
      })
    },
  )
}
