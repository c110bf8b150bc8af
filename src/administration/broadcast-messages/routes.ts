import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { BroadcastMessage, presentBroadcastMessage } from './entity.ts'
import {
  BroadcastMessageChanges,
  BroadcastMessageFilter,
  ByBroadcastMessage,
  NewBroadcastMessage,
} from './parameters.ts'
import {
  broadcastMessageOrder,
  broadcastMessages,
  findBroadcastMessage,
  lockBroadcastMessage,
} from './queries.ts'
import {
  createBroadcastMessage,
  deleteBroadcastMessage,
  updateBroadcastMessage,
} from './write-broadcast-message.ts'

/** Messages on pages. Everybody reads them, administrators write them. */
export const broadcastMessageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const { clock, broadcastMessages: known } = services

  app.get(
    '/broadcast_messages',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List the broadcast messages, the newest first',
        querystring: BroadcastMessageFilter,
        response: { 200: Type.Array(BroadcastMessage) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, broadcastMessages(db), broadcastMessageOrder)
      return rows.map((row) => presentBroadcastMessage(row, clock.now()))
    },
  )

  app.get(
    '/broadcast_messages/:id',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'Get a broadcast message',
        params: ByBroadcastMessage,
        response: { 200: BroadcastMessage },
      },
    },
    async (req) => presentBroadcastMessage(await findBroadcastMessage(db, req.params.id), clock.now()),
  )

  app.post(
    '/broadcast_messages',
    {
      config: writes(admin),
      schema: {
        summary: 'Create a broadcast message',
        description: 'Every process of the instance shows it within a second.',
        body: NewBroadcastMessage,
        response: { 201: BroadcastMessage },
      },
    },
    async (req) => {
      const made = await req.write((tx) => createBroadcastMessage(tx, req.body))
      await known.reload()
      return presentBroadcastMessage(made, clock.now())
    },
  )

  app.put(
    '/broadcast_messages/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Change a broadcast message',
        params: ByBroadcastMessage,
        body: BroadcastMessageChanges,
        refuses: [412],
        response: { 200: BroadcastMessage },
      },
    },
    async (req) => {
      const changed = await req.write(async (tx) => {
        const message = await lockBroadcastMessage(tx, req.params.id)
        assertUnmodified(req, message.updated_at)
        return updateBroadcastMessage(tx, message, req.body)
      })
      await known.reload()
      return presentBroadcastMessage(changed, clock.now())
    },
  )

  app.delete(
    '/broadcast_messages/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete a broadcast message',
        params: ByBroadcastMessage,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const message = await lockBroadcastMessage(tx, req.params.id)
        assertUnmodified(req, message.updated_at)
        await deleteBroadcastMessage(tx, message)
      })
      await known.reload()
    },
  )
}
