import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/refusals.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, count, entity, integer, nullable, text } from '#platform/http/schema.ts'
import { Namespace, type NamespaceRow, presentNamespaces } from './entity.ts'
import { limitMinutes } from './limit-minutes.ts'
import { countsIn, findNamespace, namespaceOrder, namespacesFor, pathInUse } from './queries.ts'

const Filter = Type.Object({
  ...pageParameters,
  search: Type.Optional(text({ description: 'Part of the name or path.' })),
  owned_only: Type.Boolean({ default: false, description: 'Only groups and projects that the caller owns.' }),
  top_level_only: Type.Boolean({ default: false }),
  full_path_search: Type.Boolean({ default: false, description: 'Also searches the whole path.' }),
})

const PathUse = entity('NamespacePathUse', { exists: Type.Boolean(), suggests: Type.Array(Type.String()) })

/** Namespaces of users and groups: what projects can be in. */
export const namespaceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/namespaces',
    {
      config: reads(anyone),
      schema: {
        summary: "List the caller's namespaces; administrators see all",
        querystring: Filter,
        response: { 200: Type.Array(Namespace) },
      },
    },
    async (req, reply) => {
      const found = namespacesFor(db, req.viewer, req.query)
      return present(req, db, await paginate(req, reply, found, namespaceOrder))
    },
  )

  app.get(
    '/namespaces/:id',
    {
      config: reads(anyone),
      schema: { summary: 'Get a namespace', params: ById, response: { 200: Namespace } },
    },
    async (req) => presentOne(req, await findNamespace(db, req.viewer, req.params.id)),
  )

  app.get(
    '/namespaces/:id/exists',
    {
      config: reads(anyone),
      schema: {
        summary: 'Check whether a path is in use, and suggest others',
        params: Type.Object({ id: text({ description: 'A path, without its parents.' }) }),
        querystring: Type.Object({ parent_id: Type.Optional(integer({ description: 'The parent group.' })) }),
        response: { 200: PathUse },
      },
    },
    async (req) => {
      const { parent_id } = req.query
      const parent = parent_id === undefined ? null : await findNamespace(db, req.viewer, String(parent_id))
      const { exists, free } = await pathInUse(db, parent?.full_path ?? null, req.params.id)
      return { exists, suggests: exists && free !== null ? [free] : [] }
    },
  )

  app.put(
    '/namespaces/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Limit the runner minutes of a namespace',
        params: ById,
        body: Type.Object({ shared_runners_minutes_limit: Type.Optional(nullable(count())) }),
        response: { 200: Namespace },
      },
    },
    async (req) => {
      const namespace = await findNamespace(db, req.viewer, req.params.id)
      const { shared_runners_minutes_limit: minutes } = req.body
      if (minutes !== undefined) await req.write((tx) => limitMinutes(tx, namespace, minutes))
      return presentOne(req, namespace)
    },
  )
}

async function present(req: FastifyRequest, db: Db, rows: readonly NamespaceRow[]) {
  const owned = rows.filter(({ administers }) => administers).map(({ id }) => id)
  const counts = await countsIn(db, owned, req.viewer.today)
  return presentNamespaces(rows, { site: req.site, plan: req.server.services.currentPlan(), counts })
}

async function presentOne(req: FastifyRequest, row: NamespaceRow) {
  const [namespace] = await present(req, req.server.db, [row])
  if (namespace === undefined) throw notFound('Namespace')
  return namespace
}
