import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, reads } from '#platform/access/route-access.ts'
import { fixedText } from '#platform/http/headers.ts'
import { documentText } from './served.ts'

/** `/api/v4/openapi.json`: routing removes the suffix. */
export const openapiRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const document = fixedText('application/json', () => documentText(app))

  app.get(
    '/openapi',
    {
      config: reads(anyone, { anonymous: true, scopes: [] }),
      schema: {
        summary: 'Get this description of the API',
        response: { 200: Type.Unsafe<string>({ type: 'object', description: 'An OpenAPI 3.1 document.' }) },
      },
    },
    async (_, reply) => document(reply),
  )
}
