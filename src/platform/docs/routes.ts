import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { fixedText } from '#platform/http/headers.ts'
import { text } from '#platform/http/schema.ts'
import { readDocument } from '#platform/openapi/served.ts'
import { type Guide, readGuides } from './guides.ts'
import { DOCS, GUIDES, LONGEST_SEARCH, STYLESHEET } from './layout.ts'
import { type Reference, referenceOf } from './reference.ts'
import { stylesheet } from './stylesheet.ts'

/** Allows only our own stylesheet and our own search: no script, no image, no frame, and no other host. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const HTML = 'text/html; charset=utf-8'

const Sought = Type.Object({ q: Type.Optional(text({ max: LONGEST_SEARCH })) })
const ByPage = Type.Object({ page: text() })

let read: readonly Guide[] | undefined

const guides = (): readonly Guide[] => (read ??= readGuides())

const styles = fixedText('text/css; charset=utf-8', () => stylesheet)

const withPolicy = (reply: FastifyReply): FastifyReply => reply.header('content-security-policy', POLICY)

/** `/-/docs`, the API reference: an index, a page for each area, and a search. */
export const docsRoutes: FastifyPluginAsync = async (app) => {
  let made: Reference | undefined
  /** Made from the OpenAPI document for the first request. */
  const reference = (): Reference => (made ??= referenceOf(readDocument(app), guides()))
  const index = fixedText(HTML, () => reference().index)

  app.get<{ Querystring: Type.Static<typeof Sought> }>(
    DOCS,
    { config: outside, schema: { querystring: Sought } },
    async ({ query: { q = '' } }, reply) => {
      withPolicy(reply)
      return q.trim() === '' ? index(reply) : reply.type(HTML).send(reference().search(q))
    },
  )

  app.get<{ Params: Type.Static<typeof ByPage> }>(
    `${DOCS}/:page`,
    { config: outside, schema: { params: ByPage } },
    async (req, reply) => {
      const found = orNotFound(reference().pages.get(req.params.page), 'Page')
      return withPolicy(reply).type(HTML).send(found)
    },
  )

  app.get<{ Params: Type.Static<typeof ByPage> }>(
    `${GUIDES}/:page`,
    { config: outside, schema: { params: ByPage } },
    async (req, reply) => {
      const found = orNotFound(
        guides().find(({ file }) => file === req.params.page),
        'Page',
      )
      return withPolicy(reply).type('text/plain; charset=utf-8').send(found.text)
    },
  )

  app.get(STYLESHEET, { config: outside }, async (_, reply) => styles(withPolicy(reply)))
}
