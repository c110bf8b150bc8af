import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { outside } from '#platform/access/route-access.ts'
import { readDocument } from '#platform/openapi/checked-in.ts'
import { referencePage, STYLESHEET } from './page.ts'
import { stylesheet } from './stylesheet.ts'

/** Allows only our own stylesheet: no script, no image, no frame, no form, and no other host. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

let page: string | undefined

/** `/-/docs`, the API reference. It is made from the OpenAPI document on the first request. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get('/-/docs', { config: outside }, async (_, reply) => {
    page ??= referencePage(readDocument())
    return send(reply, 'text/html; charset=utf-8', page)
  })
  app.get(STYLESHEET, { config: outside }, async (_, reply) =>
    send(reply, 'text/css; charset=utf-8', stylesheet),
  )
}

function send(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.header('content-security-policy', POLICY).type(type).send(text)
}
