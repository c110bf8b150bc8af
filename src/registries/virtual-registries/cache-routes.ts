import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { CacheEntry, presentCacheEntry } from './entity.ts'
import { authorizeIn, hiddenUnlessOpen, readsById, writesById } from './gate.ts'
import { ByCacheEntry, ByUpstream, CacheFilter } from './parameters.ts'
import { numberIn } from './path-ids.ts'
import { purgeUpstreams } from './purge-cache.ts'
import { findGroupOf, lockUpstream } from './queries.ts'

const ofUpstream = '/virtual_registries/container/upstreams/:id'

const order: ListOrder = {
  of: 'CacheEntry',
  id: 'e.id',
  columns: { id: { column: 'e.id' } },
  by: 'id',
  sort: 'desc',
}

/** What is kept of upstreams. */
export const cacheRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    `${ofUpstream}/cache_entries`,
    {
      preValidation: hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'upstream', id))),
      config: readsById,
      schema: {
        summary: 'List what is kept of an upstream',
        description: 'Latest first. Not in the specification.',
        params: ByUpstream,
        querystring: CacheFilter,
        response: { 200: Type.Array(CacheEntry) },
      },
    },
    async (req, reply) => {
      const { id } = req.params
      const group = await authorizeIn(req, await findGroupOf(db, 'upstream', id), 'read_virtual_registry')
      const rows = await paginate(req, reply, entriesOf(db, id, req.query.search), order)
      return rows.map((row) => presentCacheEntry(row, group.id))
    },
  )

  app.delete(
    '/virtual_registries/container/cache_entries/:id',
    {
      preValidation: hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'cache entry', id))),
      config: writesById,
      schema: {
        summary: 'Delete a cache entry',
        description: 'The next pull asks the upstream again. Not in the specification.',
        params: ByCacheEntry,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = req.params
      await authorizeIn(req, await findGroupOf(db, 'cache entry', id), 'admin_virtual_registry')
      await req.write((tx) => deleteEntry(tx, id))
    },
  )

  app.delete(
    `${ofUpstream}/cache`,
    {
      preValidation: hiddenUnlessOpen((req) => numberIn(req, (id) => findGroupOf(db, 'upstream', id))),
      config: writesById,
      schema: {
        summary: 'Purge the cache of an upstream',
        description: 'Forgets all that is kept of it. A job removes it.',
        params: ByUpstream,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id } = req.params
      await authorizeIn(req, await findGroupOf(db, 'upstream', id), 'admin_virtual_registry')
      await req.write(async (tx) => {
        const upstream = await lockUpstream(tx, id)
        await purgeUpstreams(tx, [id])
        record(tx, {
          name: 'container upstream cache purged',
          namespace: upstream.group_id,
          target: { type: 'ContainerUpstream', id },
          details: { name: upstream.name },
        })
      })
    },
  )
}

function entriesOf(db: Db, upstreamId: number, search: string | undefined) {
  return db
    .selectFrom('container_cache_entries as e')
    .innerJoin('container_upstreams as u', 'u.id', 'e.upstream_id')
    .select([
      'e.id',
      'e.upstream_id',
      'e.relative_path',
      'e.digest',
      'e.media_type',
      'e.size',
      'e.upstream_etag',
    ])
    .select(['e.upstream_checked_at', 'e.downloads_count', 'e.downloaded_at', 'e.created_at', 'e.updated_at'])
    .where('e.upstream_id', '=', upstreamId)
    .where(sql<boolean>`(u.purged_at is null or e.created_at > u.purged_at)`)
    .$if(search !== undefined, (q) => q.where(contains(['e.relative_path'], search ?? '')))
}

async function deleteEntry(tx: Tx, id: number): Promise<void> {
  const entry = await tx.db
    .deleteFrom('container_cache_entries as e')
    .using('container_upstreams as u')
    .whereRef('u.id', '=', 'e.upstream_id')
    .where('e.id', '=', id)
    .returning(['e.upstream_id', 'e.relative_path', 'u.name', 'u.group_id'])
    .executeTakeFirstOrThrow(() => notFound())
  record(tx, {
    name: 'container upstream cache entry deleted',
    namespace: entry.group_id,
    target: { type: 'ContainerUpstream', id: entry.upstream_id },
    details: { name: entry.name, path: entry.relative_path },
  })
}
