import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, reads } from '#platform/access/route-access.ts'
import { documentText } from './checked-in.ts'

/** `/api/v4/openapi.json`: routing removes the suffix. */
export const openapiRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/openapi',
    {
      config: reads(anyone, { anonymous: true, scopes: [] }),
      schema: {
        summary: 'Get this description of the API',
        response: { 200: Type.Unsafe<string>({ type: 'object', description: 'An OpenAPI 3.1 document.' }) },
      },
    },
    // Fastify sends text of this type as it is.
    async (_, reply) => reply.type('application/json').send(documentText()),
  )
}
