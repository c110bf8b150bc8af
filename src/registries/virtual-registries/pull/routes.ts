import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { clientOf } from '#platform/http/client-left.ts'
import { integer, text } from '#platform/http/schema.ts'
import { findRegistryFor, type KnownUpstream } from '../cache/entries.ts'
import { readAccept } from '../../oci/accept.ts'
import type { Bearer } from '../../oci/bearer.ts'
import { askForBlob, blobPath, findBlob } from './blobs.ts'
import { PullContext } from './context.ts'
import { nameUnknown, RegistryError, unsupported, writeRegistryError } from '../../oci/errors.ts'
import { identifyPuller } from '../../oci/identify.ts'
import { protocolHeaders } from '../../oci/protocol.ts'
import { scopeOf } from '../../oci/scopes.ts'
import { authorizePull } from './identify.ts'
import { findListing, originOf } from './listings.ts'
import { findManifest, manifestPath } from './manifests.ts'
import { type PullTarget, readPath } from '../../oci/names.ts'
import { describeBlob, sendBlob, sendManifest } from './send.ts'
import { OLD, sweepSpool } from './sweep-spool.ts'

const BASE = '/v2/virtual_registries/container/:id/*'
const params = Type.Object({ id: integer({ minimum: 1 }), '*': text({ max: 1024 }) })

/** Pulls through virtual registries, by the OCI distribution specification. */
export const pullRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const context = new PullContext(services, app.log)
  const sweeping = setInterval(() => void sweepSpool(context.spool, app.log), OLD).unref()
  app.addHook('onClose', () => {
    clearInterval(sweeping)
    return context.close()
  })
  void sweepSpool(context.spool, app.log)

  app.addHook('onRequest', protocolHeaders)
  const route = { config: outside, errorHandler: writeRegistryError, exposeHeadRoute: false }
  const methods = ['GET', 'HEAD']

  const assertEnabled = () => {
    if (!services.settings().container_virtual_registries_enabled)
      throw new RegistryError(404, 'UNSUPPORTED', 'virtual registries are switched off')
  }

  app.route({
    ...route,
    method: methods,
    url: BASE,
    schema: { params },
    handler: async (req, reply) => {
      const { id, '*': path } = req.params
      assertEnabled()
      const [imageForScope] = path.split(/\/(?:manifests|blobs|tags|referrers)\//)
      const scope = scopeOf(`virtual_registries/container/${id}/${imageForScope}`, ['pull'])
      const covers = ({ registries }: Bearer) => registries.includes(id)
      const puller = await identifyPuller(context.bearers, req, scope, covers)
      const asked = readPath(path)
      const registry = await findRegistryFor(services.db, id, keptAt(asked))
      if (registry === undefined) throw nameUnknown()
      await authorizePull(req, puller, registry.groupId)
      return answer(req, reply, asked, { id, upstreams: registry.upstreams })
    },
  })

  app.route({
    ...route,
    config: { ...outside, ...streamed },
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: BASE,
    schema: { params },
    handler: async (req) => {
      await identifyPuller(context.bearers, req, undefined)
      throw unsupported('GET, HEAD')
    },
  })

  interface Place {
    readonly id: number
    readonly upstreams: readonly KnownUpstream[]
  }

  async function answer(req: FastifyRequest, reply: FastifyReply, asked: PullTarget, place: Place) {
    const { upstreams } = place
    if (asked.kind === 'manifest') {
      const accept = readAccept(req.headers.accept)
      const served = await findManifest(context, upstreams, { ...asked, accept }).catch((error: unknown) =>
        counted('manifest', error),
      )
      return sendManifest(context, req, reply, served, asked.digest !== undefined)
    }
    if (asked.kind === 'blob') {
      const isKept = upstreams.some(({ entries }) => entries.length > 0)
      if (req.method === 'HEAD' && !isKept) {
        return describeBlob(reply, asked.digest.text, await askForBlob(context, upstreams, asked))
      }
      const found = await findBlob(context, upstreams, asked).catch((error: unknown) =>
        counted('blob', error),
      )
      clientOf(reply)
      return sendBlob(context, req, reply, found, asked.digest.text)
    }
    return list(req, reply, asked, place)
  }

  function counted(kind: 'manifest' | 'blob', error: unknown): never {
    const isAbsent = error instanceof RegistryError && error.isAbsence
    context.metrics.count(kind, isAbsent ? 'absent' : 'failed')
    throw error
  }

  async function list(
    req: FastifyRequest,
    reply: FastifyReply,
    asked: Extract<PullTarget, { kind: 'tags' | 'referrers' }>,
    { id, upstreams }: Place,
  ) {
    const path = pathOf(asked)
    const asking =
      asked.kind === 'tags'
        ? upstreams
        : await originOf(context, upstreams, { image: asked.image, reference: asked.digest.text })
    const listing = await findListing(context, asking, {
      image: asked.image,
      path,
      query: queryOf(req, asked.kind),
      accept: asked.kind === 'tags' ? 'application/json' : 'application/vnd.oci.image.index.v1+json',
    })
    const own = `virtual_registries/container/${id}`
    if (listing.next !== undefined && isPage(listing.next, asked.kind))
      reply.header('link', `</v2/${own}/${path}?${listing.next}>; rel="next"`)
    if (listing.filters !== undefined) reply.header('oci-filters-applied', listing.filters)
    const body = asked.kind === 'tags' ? { ...listing.body, name: `${own}/${asked.image}` } : listing.body
    return reply
      .header('cache-control', 'private, no-cache')
      .header('content-type', listing.mediaType)
      .send(Buffer.from(JSON.stringify(body)))
  }
}

function pathOf(asked: PullTarget): string {
  if (asked.kind === 'manifest') return manifestPath(asked)
  if (asked.kind === 'blob') return blobPath(asked)
  return asked.kind === 'tags' ? `${asked.image}/tags/list` : `${asked.image}/referrers/${asked.digest.text}`
}

/** Where what answers is kept. Of what refers to a manifest, only that manifest may be kept. */
const keptAt = (asked: PullTarget): string =>
  asked.kind === 'referrers'
    ? manifestPath({ image: asked.image, reference: asked.digest.text })
    : pathOf(asked)

/** The longest query, and value of a parameter, that upstreams are asked with. */
const LONGEST_QUERY = 1_024
const LONGEST_VALUE = 255

/**
 * What upstreams may be asked with: the page of a list of tags. The next page of what refers to a manifest is named as
 * each registry likes, so all is passed on.
 */
function queryOf({ raw }: FastifyRequest, kind: ListKind): string {
  const query = passedOn((raw.url ?? '').split('?')[1] ?? '', kind)
  if (query === undefined) throw new RegistryError(400, 'UNSUPPORTED', 'the query is too long')
  return query.toString()
}

/** Whether clients can ask for the next page with this query: otherwise they would get the same page without end. */
function isPage(next: string, kind: ListKind): boolean {
  const query = passedOn(next, kind)
  return query !== undefined && (kind === 'tags' ? query.has('last') : query.size > 0)
}

type ListKind = 'tags' | 'referrers'

/** What of a query is passed on to upstreams; undefined when it is too long. */
function passedOn(query: string, kind: ListKind): URLSearchParams | undefined {
  const passed = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(query)) {
    if (kind === 'tags' && name !== 'n' && name !== 'last') continue
    if (value.length > LONGEST_VALUE) return undefined
    passed.set(name, value)
  }
  return passed.toString().length > LONGEST_QUERY ? undefined : passed
}
