import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { changeTracking, putTracking } from './change-tracking.ts'
import { createKey } from './create-key.ts'
import { deleteKey } from './delete-key.ts'
import { ClientKey, ErrorTracking, presentKey, presentTracking, type TrackingRow } from './entity.ts'
import { ByKey, KeyPage, TrackingChanges, WholeTracking } from './parameters.ts'
import { findTracking, keyOrder, clientKeysOf } from './queries.ts'

const SETTINGS = '/projects/:id/error_tracking/settings'
const KEYS = '/projects/:id/error_tracking/client_keys'

/** Settings and client keys of error tracking. */
export const trackingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    SETTINGS,
    {
      config: reads(project('read_error_tracking')),
      schema: {
        summary: 'Get the settings of error tracking',
        description: '404 until there are any.',
        params: ById,
        response: { 200: ErrorTracking },
      },
    },
    async (req) => presentTracking(await findTracking(db, req.project().container.id)),
  )

  app.put(
    SETTINGS,
    {
      config: writes(project('admin_error_tracking')),
      schema: {
        summary: 'Set up error tracking',
        description: 'Makes the settings where there are none.',
        params: ById,
        body: WholeTracking,
        response: { 200: ErrorTracking },
      },
    },
    async (req) => {
      const { container } = req.project()
      return presentTracking(await req.write((tx) => putTracking(tx, container, columnsOf(req.body))))
    },
  )

  app.patch(
    SETTINGS,
    {
      config: writes(project('admin_error_tracking')),
      schema: {
        summary: 'Switch error tracking on or off',
        description: '404 until there are settings.',
        params: ById,
        body: TrackingChanges,
        response: { 200: ErrorTracking },
      },
    },
    async (req) => {
      const { container } = req.project()
      return presentTracking(await req.write((tx) => changeTracking(tx, container, columnsOf(req.body))))
    },
  )

  app.get(
    KEYS,
    {
      config: reads(project('read_error_tracking')),
      schema: {
        summary: 'List the client keys of a project',
        description: 'Oldest first.',
        params: ById,
        querystring: KeyPage,
        response: { 200: Type.Array(ClientKey) },
      },
    },
    async (req, reply) => {
      const keys = await paginate(req, reply, clientKeysOf(db, req.project().container.id), keyOrder)
      return keys.map((key) => presentKey(req.site, key))
    },
  )

  app.post(
    KEYS,
    {
      config: writes(project('admin_error_tracking')),
      schema: {
        summary: 'Create a client key',
        description: 'A project has at most 100.',
        params: ById,
        response: { 201: ClientKey },
      },
    },
    async (req) => {
      const { container } = req.project()
      const key = await req.write((tx) => createKey(tx, container))
      return presentKey(req.site, key)
    },
  )

  app.delete(
    `${KEYS}/:key_id`,
    {
      config: writes(project('admin_error_tracking')),
      schema: {
        summary: 'Delete a client key',
        description: 'Programs that report with it are refused at once.',
        params: ByKey,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) => deleteKey(tx, container, req.params.key_id))
    },
  )
}

interface TrackingParameters {
  readonly active: boolean
  readonly integrated?: boolean
  readonly scrub_personal_data?: boolean
}

/** The parameters that were given, by the names of their columns. */
const columnsOf = ({
  active,
  integrated,
  scrub_personal_data,
}: TrackingParameters): Partial<TrackingRow> => ({
  active,
  ...(integrated !== undefined && { integrated }),
  ...(scrub_personal_data !== undefined && { scrubs: scrub_personal_data }),
})
