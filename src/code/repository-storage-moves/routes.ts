import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { pageParameters } from '#platform/http/order.ts'
import { Message } from '#platform/http/schema.ts'
import { createMove } from './create-move.ts'
import { listOf, type MoveKind, moveKinds, ownerFor } from './kinds.ts'
import { registerMoveMetrics } from './metrics.ts'
import { ByMove, MoveStorage, NewMove } from './parameters.ts'
import { scheduleStorageLater } from './schedule-storage.ts'

const querystring = Type.Object(pageParameters)

/** Moves of repositories between storages, for administrators. */
export const storageMoveRoutes: FastifyPluginAsyncTypebox = async (app) => {
  registerMoveMetrics(app.services.metrics, app.services)
  for (const kind of moveKinds) {
    await app.register(routesOf(kind))
    await app.register(routesOfOwner(kind))
  }
}

/** All moves of a kind. */
function routesOf(one: MoveKind): FastifyPluginAsyncTypebox {
  const { kind, access, Entity } = one
  const collection = `/${kind}_repository_storage_moves`
  return async (app) => {
    const { db, services } = app

    app.get(
      collection,
      {
        config: reads(admin, access),
        schema: {
          summary: `List the storage moves of all ${kind}s`,
          description: 'Newest first.',
          querystring,
          response: { 200: listOf(Entity) },
        },
      },
      (req, reply) => one.list(req, reply, { owner: undefined }),
    )

    app.get(
      `${collection}/:repository_storage_id`,
      {
        config: reads(admin, access),
        schema: { summary: `Get a storage move of a ${kind}`, params: ByMove, response: { 200: Entity } },
      },
      async (req) =>
        found(await one.find(db, { owner: undefined, id: req.params.repository_storage_id }, req)),
    )

    app.post(
      collection,
      {
        config: writes(admin, access),
        schema: {
          summary: `Move all ${kind} repositories away from a storage`,
          description: `Schedules a move for each ${kind} that has a repository there, in the background.`,
          body: MoveStorage,
          response: { 202: Message },
        },
      },
      async (req) => {
        const { source_storage_name: source, destination_storage_name: destination } = req.body
        const { storages } = services.repositories
        await req.write((tx) =>
          scheduleStorageLater(
            tx,
            { kind, source, ...(destination !== undefined && { destination }) },
            { storages, settings: services.settings() },
          ),
        )
        return { message: '202 Accepted' }
      },
    )
  }
}

/** The moves of one project, group or snippet. */
function routesOfOwner(one: MoveKind): FastifyPluginAsyncTypebox {
  const { kind, subject, access, params, oneParams, Entity, idOf } = one
  const collection = `/${kind}s/:id/repository_storage_moves`
  return async (app) => {
    const { db, services } = app

    app.get(
      collection,
      {
        config: reads(subject, access),
        schema: {
          summary: `List the storage moves of a ${kind}`,
          description: 'Newest first.',
          params,
          querystring,
          response: { 200: listOf(Entity) },
        },
      },
      (req, reply) => one.list(req, reply, { owner: idOf(req) }),
    )

    app.get(
      `${collection}/:repository_storage_id`,
      {
        config: reads(subject, access),
        schema: {
          summary: `Get one storage move of a ${kind}`,
          params: oneParams,
          response: { 200: Entity },
        },
      },
      async (req) =>
        found(await one.find(db, { owner: idOf(req), id: req.params.repository_storage_id }, req)),
    )

    app.post(
      collection,
      {
        config: writes(subject, access),
        schema: {
          summary: `Move a ${kind} to another storage`,
          description:
            kind === 'group'
              ? 'Moves its wiki, not the projects in it. It is read-only meanwhile.'
              : 'Moves all its repositories. They are read-only meanwhile.',
          params,
          body: NewMove,
          response: { 201: Entity },
        },
      },
      async (req) => {
        const wishes = {
          storages: services.repositories.storages,
          settings: services.settings(),
          destination: req.body.destination_storage_name,
        }
        return req.write(async (tx) => {
          const id = await createMove(tx, await ownerFor(tx.db, kind, idOf(req)), wishes)
          return found(await one.find(tx.db, { owner: undefined, id }, req))
        })
      },
    )
  }
}

/** @throws 404 */
function found<T>(move: T | undefined): T {
  if (move === undefined) throw notFound()
  return move
}
