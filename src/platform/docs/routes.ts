import type { FastifyPluginAsync } from 'fastify'
import { outside } from '#platform/access/route-access.ts'
import { fixedText } from '#platform/http/headers.ts'
import { readDocument } from '#platform/openapi/checked-in.ts'
import { referencePage, STYLESHEET } from './page.ts'
import { stylesheet } from './stylesheet.ts'

/** Allows only our own stylesheet: no script, no image, no frame, no form, and no other host. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = fixedText('text/html; charset=utf-8', () => referencePage(readDocument()))
const styles = fixedText('text/css; charset=utf-8', () => stylesheet)

/** `/-/docs`, the API reference. It is made from the OpenAPI document on the first request. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  app.get('/-/docs', { config: outside }, async (_, reply) =>
    page(reply.header('content-security-policy', POLICY)),
  )
  app.get(STYLESHEET, { config: outside }, async (_, reply) =>
    styles(reply.header('content-security-policy', POLICY)),
  )
}
