import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, reads } from '#platform/access/route-access.ts'
import { inWords, type Deprecation } from '#platform/http/deprecations.ts'
import { idOrPath } from '#platform/http/schema.ts'
import { replaced } from '#platform/refusals.ts'

interface Retired {
  readonly title: string
  readonly deprecated: Deprecation
  readonly routes: Readonly<Record<string, readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[]>>
}

const retired: readonly Retired[] = [
  {
    title: 'Geo nodes',
    // GitLab 16.0.
    deprecated: { since: '2023-05-22', successor: '`geo_sites`' },
    routes: {
      '/geo_nodes': ['GET', 'POST'],
      '/geo_nodes/status': ['GET'],
      '/geo_nodes/current/failures': ['GET'],
      '/geo_nodes/:id': ['GET', 'PUT', 'DELETE'],
      '/geo_nodes/:id/status': ['GET'],
      '/geo_nodes/:id/repair': ['POST'],
    },
  },
  {
    title: 'Managed licenses',
    // GitLab 15.9.
    deprecated: { since: '2023-02-22', successor: 'license approval policies' },
    routes: {
      '/projects/:id/managed_licenses': ['GET', 'POST'],
      '/projects/:id/managed_licenses/:managed_license_id': ['GET', 'PATCH', 'DELETE'],
    },
  },
]

/** Routes that are not here. A program that still asks for them hears by what they were replaced. */
export const retiredRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { title, deprecated, routes } of retired) {
    for (const [url, methods] of Object.entries(routes)) {
      for (const method of methods) {
        app.route({
          method,
          url,
          config: reads(anyone, { anonymous: true }),
          schema: {
            summary: `${title}: not here`,
            description: 'Always 404. The message says what there is instead.',
            deprecated,
            params: paramsOf(url),
            response: {},
          },
          handler: () => {
            throw replaced(inWords(deprecated))
          },
        })
      }
    }
  }
}

const paramsOf = (url: string) =>
  Type.Object(Object.fromEntries([...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, idOrPath()])))
