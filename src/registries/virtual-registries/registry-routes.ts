import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { createRegistry } from './create-registry.ts'
import { deleteRegistry, lockOwnUpstreams } from './delete-registry.ts'
import { presentRegistry, Registry, RegistryDetail, type RegistryRow } from './entity.ts'
import {
  assertTopLevel,
  authorizeIn,
  hiddenUnlessOpen,
  readsById,
  readsOfGroup,
  writesById,
  writesOfGroup,
} from './gate.ts'
import { ByRegistry, NewRegistry, RegistryChanges } from './parameters.ts'
import { numberIn } from './path-ids.ts'
import { purgeUpstreams } from './purge-cache.ts'
import { associationsOf, findGroupOf, findRegistry, lockRegistry, registriesOf } from './queries.ts'
import { updateRegistry } from './update-registry.ts'

const collection = '/groups/:id/-/virtual_registries/container/registries'
const single = '/virtual_registries/container/registries/:id'

/** Container virtual registries of groups. */
export const registryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const ofGroup = { preValidation: hiddenUnlessOpen() }
  const byId = {
    preValidation: hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'registry', id))),
  }
  const authorize = async (req: FastifyRequest, id: number, ability: 'read' | 'admin') =>
    authorizeIn(req, await findGroupOf(db, 'registry', id), `${ability}_virtual_registry`)
  const detailed = async (row: RegistryRow) => ({
    ...presentRegistry(row),
    registry_upstreams: (await associationsOf(db, 'registry_id', row.id)).map(
      ({ id, position, upstream_id }) => ({
        id,
        position,
        upstream_id,
      }),
    ),
  })

  app.get(
    collection,
    {
      ...ofGroup,
      config: readsOfGroup,
      schema: {
        summary: 'List the container virtual registries of a group',
        params: ById,
        refuses: [400],
        response: { 200: Type.Array(Registry) },
      },
    },
    async (req) => {
      const { container } = req.group()
      assertTopLevel(container)
      return (await registriesOf(db, container.id)).map(presentRegistry)
    },
  )

  app.post(
    collection,
    {
      ...ofGroup,
      config: writesOfGroup,
      schema: {
        summary: 'Create a container virtual registry',
        description: 'A top-level group has five at most.',
        params: ById,
        body: NewRegistry,
        response: { 201: Registry },
      },
    },
    async (req) => {
      const { container } = req.group()
      assertTopLevel(container)
      const registry = await req.write((tx) => createRegistry(tx, container.id, req.body))
      return presentRegistry(registry)
    },
  )

  app.get(
    single,
    {
      ...byId,
      config: readsById,
      schema: {
        summary: 'Get a container virtual registry',
        params: ByRegistry,
        response: { 200: RegistryDetail },
      },
    },
    async (req) => {
      await authorize(req, req.params.id, 'read')
      return detailed(await findRegistry(db, req.params.id))
    },
  )

  app.patch(
    single,
    {
      ...byId,
      config: writesById,
      schema: {
        summary: 'Change a container virtual registry',
        params: ByRegistry,
        body: RegistryChanges,
        refuses: [412],
        response: { 200: RegistryDetail },
      },
    },
    async (req) => {
      await authorize(req, req.params.id, 'admin')
      const changed = await req.write(async (tx) => {
        const locked = await lockRegistry(tx, req.params.id)
        assertUnmodified(req, locked.updated_at)
        return updateRegistry(tx, locked, req.body)
      })
      return detailed(changed)
    },
  )

  app.delete(
    single,
    {
      ...byId,
      config: writesById,
      schema: {
        summary: 'Delete a container virtual registry',
        description: 'Deletes also the upstreams that no other registry has, with what is kept of them.',
        params: ByRegistry,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await authorize(req, req.params.id, 'admin')
      await req.write(async (tx) => {
        const locked = await lockRegistry(tx, req.params.id, true)
        assertUnmodified(req, locked.updated_at)
        await deleteRegistry(tx, locked)
      })
    },
  )

  app.delete(
    `${single}/cache`,
    {
      ...byId,
      config: writesById,
      schema: {
        summary: 'Purge the cache of a container virtual registry',
        description: 'Forgets what is kept of the upstreams that no other registry has. A job removes it.',
        params: ByRegistry,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await authorize(req, req.params.id, 'admin')
      await req.write((tx) => purgeRegistry(tx, req.params.id))
    },
  )
}

async function purgeRegistry(tx: Tx, id: number): Promise<void> {
  const registry = await lockRegistry(tx, id)
  await purgeUpstreams(tx, await lockOwnUpstreams(tx, id))
  record(tx, {
    name: 'container registry cache purged',
    namespace: registry.group_id,
    target: { type: 'ContainerRegistry', id },
    details: { name: registry.name },
  })
}
