import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import type { Feature } from '#platform/feature.ts'
import { text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { findScripts, SCRIPTS } from './scripts.ts'

/** Small scripts that help where they run. Every page is complete without them. */
const islandRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const scripts = findScripts()
  const params = Type.Object({ script: text({ max: 255 }) })
  app.get(`${SCRIPTS}:script`, { config: outside, schema: { params } }, async (req, reply) => {
    const script = scripts(req.params.script)
    if (script === undefined) throw notFound()
    return reply.type('text/javascript; charset=utf-8').send(script)
  })
}

export const consoleIslands: Feature = { pages: [islandRoutes] }
