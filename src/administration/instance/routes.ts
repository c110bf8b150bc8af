import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads } from '#platform/access/route-access.ts'
import type { Scope } from '#platform/access/scopes.ts'
import { nullable } from '#platform/http/schema.ts'
import { countEverything, Statistics } from './statistics.ts'
import { packageVersion } from '#platform/package.ts'
import { API_VERSION, Version } from './version.ts'

const Metadata = Type.Object({
  ...Version.properties,
  kas: Type.Object({
    enabled: Type.Boolean(),
    externalUrl: nullable(Type.String()),
    externalK8sProxyUrl: nullable(Type.String()),
    version: nullable(Type.String()),
  }),
  enterprise: Type.Boolean(),
})

const version = { version: API_VERSION, revision: packageVersion() }
const noAgents = { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null }
const scopes: readonly Scope[] = ['api', 'read_api', 'read_user', 'ai_features']

/** Routes for the instance's version and statistics. */
export const instanceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/version',
    {
      config: reads(anyone, { scopes }),
      schema: { summary: 'Get the version', response: { 200: Version } },
    },
    async () => version,
  )

  app.get(
    '/metadata',
    {
      config: reads(anyone, { scopes }),
      schema: { summary: 'Get the version and what is enabled', response: { 200: Metadata } },
    },
    async () => ({ ...version, kas: noAgents, enterprise: API_VERSION.endsWith('-ee') }),
  )

  app.get(
    '/application/statistics',
    {
      config: reads(admin),
      schema: { summary: 'Count what the instance holds', response: { 200: Statistics } },
    },
    () => countEverything(db),
  )
}
