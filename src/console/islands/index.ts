import type { FastifyPluginAsync } from 'fastify'
import { outside } from '#platform/access/route-access.ts'
import type { Feature } from '#platform/feature.ts'
import { notFound } from '#platform/refusals.ts'
import { scriptAt, served } from './scripts.ts'

/** Small scripts that help where they run. Every page is complete without them. */
const islandRoutes: FastifyPluginAsync = async (app) => {
  for (const address of served) {
    let script: string | undefined
    app.get(address, { config: outside }, async (_, reply) => {
      script ??= scriptAt(address)
      if (script === undefined) throw notFound()
      return reply.type('text/javascript; charset=utf-8').send(script)
    })
  }
}

export const consoleIslands: Feature = { pages: [islandRoutes] }
