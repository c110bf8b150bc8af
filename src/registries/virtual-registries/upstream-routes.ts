import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { createUpstream } from './create-upstream.ts'
import { readCredentials, sealCredentials } from './credentials.ts'
import { deleteUpstream } from './delete-upstream.ts'
import {
  type AssociationRow,
  presentUpstream,
  Upstream,
  UpstreamDetail,
  UpstreamOfRegistry,
  type UpstreamRow,
} from './entity.ts'
import { assertTopLevel, authorizeIn, hiddenUnlessOpen, readsById, readsOfGroup, writesById } from './gate.ts'
import { ByRegistry, ByUpstream, NewUpstream, UpstreamChanges, UpstreamFilter } from './parameters.ts'
import { numberIn } from './path-ids.ts'
import {
  associationsOf,
  findGroupOf,
  findUpstream,
  lockRegistry,
  lockUpstream,
  upstreamOrder,
  upstreamsOf,
  upstreamsOfRegistry,
} from './queries.ts'
import { updateUpstream } from './update-upstream.ts'
import { assertReachable, readUpstreamUrl } from './upstream-url.ts'

const ofRegistry = '/virtual_registries/container/registries/:id/upstreams'
const single = '/virtual_registries/container/upstreams/:id'

const presentAssociation = ({ id, registry_id, position }: AssociationRow) => ({ id, registry_id, position })

/** Upstreams of container virtual registries. */
export const upstreamRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const { outgoing } = services
  const inRegistry = hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'registry', id)))
  const byId = hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'upstream', id)))
  const authorize = async (
    req: FastifyRequest,
    of: 'registry' | 'upstream',
    id: number,
    may: 'read' | 'admin',
  ) => authorizeIn(req, await findGroupOf(db, of, id), `${may}_virtual_registry`)
  const detailed = async (row: UpstreamRow) => ({
    ...presentUpstream(row),
    registry_upstreams: (await associationsOf(db, 'upstream_id', row.id)).map(presentAssociation),
  })

  app.get(
    '/groups/:id/-/virtual_registries/container/upstreams',
    {
      preValidation: hiddenUnlessOpen(),
      config: readsOfGroup,
      schema: {
        summary: 'List the upstreams of a group',
        description: 'Oldest first.',
        params: ById,
        querystring: UpstreamFilter,
        refuses: [400],
        response: { 200: Type.Array(Upstream) },
      },
    },
    async (req, reply) => {
      const { container } = req.group()
      assertTopLevel(container)
      const list = upstreamsOf(db, container.id, req.query.upstream_name)
      return (await paginate(req, reply, list, upstreamOrder)).map(presentUpstream)
    },
  )

  app.get(
    ofRegistry,
    {
      preValidation: inRegistry,
      config: readsById,
      schema: {
        summary: 'List the upstreams of a container virtual registry',
        description: 'In the order in which they are asked.',
        params: ByRegistry,
        response: { 200: Type.Array(UpstreamOfRegistry) },
      },
    },
    async (req) => {
      await authorize(req, 'registry', req.params.id, 'read')
      const rows = await upstreamsOfRegistry(db, req.params.id)
      return rows.map(({ association_id: id, position, ...row }) => ({
        ...presentUpstream(row),
        registry_upstream: { id, registry_id: req.params.id, position },
      }))
    },
  )

  app.post(
    ofRegistry,
    {
      preValidation: inRegistry,
      config: writesById,
      schema: {
        summary: 'Create an upstream of a container virtual registry',
        description: 'As its last one. A registry has five upstreams at most.',
        params: ByRegistry,
        body: NewUpstream,
        response: { 201: UpstreamOfRegistry },
      },
    },
    async (req) => {
      await authorize(req, 'registry', req.params.id, 'admin')
      const url = readUpstreamUrl(req.body.url)
      const given = readCredentials(req.body)
      await assertReachable(outgoing, url)
      const credentials = await sealCredentials(services, given)
      const { name, description, cache_validity_hours } = req.body
      const { upstream, association } = await req.write(async (tx) =>
        createUpstream(
          tx,
          await lockRegistry(tx, req.params.id),
          {
            url,
            name,
            ...(description !== undefined && { description }),
            ...(cache_validity_hours !== undefined && { cache_validity_hours }),
          },
          credentials,
        ),
      )
      return { ...presentUpstream(upstream), registry_upstream: presentAssociation(association) }
    },
  )

  app.get(
    single,
    {
      preValidation: byId,
      config: readsById,
      schema: { summary: 'Get an upstream', params: ByUpstream, response: { 200: UpstreamDetail } },
    },
    async (req) => {
      await authorize(req, 'upstream', req.params.id, 'read')
      return detailed(await findUpstream(db, req.params.id))
    },
  )

  app.patch(
    single,
    {
      preValidation: byId,
      config: writesById,
      schema: {
        summary: 'Change an upstream',
        description: 'Another URL without credentials is asked anonymously, and what was kept is forgotten.',
        params: ByUpstream,
        body: UpstreamChanges,
        refuses: [412],
        response: { 200: UpstreamDetail },
      },
    },
    async (req) => {
      const { id } = req.params
      await authorize(req, 'upstream', id, 'admin')
      const { username, password, url: text, ...others } = req.body
      const url = text === undefined ? undefined : readUpstreamUrl(text)
      const isGiven = username !== undefined || password !== undefined
      const before = await findUpstream(db, id)
      const isOther = url !== undefined && url !== before.url
      const given = isGiven ? readCredentials(req.body) : undefined
      if (isOther) await assertReachable(outgoing, url)
      // The password was for the server that it was given for.
      const credentials = isGiven || isOther ? await sealCredentials(services, given) : undefined
      const changed = await req.write(async (tx) => {
        const locked = await lockUpstream(tx, id)
        assertUnmodified(req, locked.updated_at)
        return updateUpstream(tx, locked, { ...others, ...(url !== undefined && { url }) }, credentials)
      })
      return detailed(changed)
    },
  )

  app.delete(
    single,
    {
      preValidation: byId,
      config: writesById,
      schema: {
        summary: 'Delete an upstream',
        description: 'From all registries, with what is kept of it.',
        params: ByUpstream,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await authorize(req, 'upstream', req.params.id, 'admin')
      await req.write((tx) => deleteUpstream(tx, req.params.id))
    },
  )
}
