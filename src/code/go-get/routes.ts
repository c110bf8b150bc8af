import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { identifyReader } from '#code/git-http/authorize-git.ts'
import { findModule } from './find-module.ts'
import { GO_GET } from './paths.ts'

const params = Type.Object({ path: text({ max: 8_192 }) })

/** Tells `go` in which repository a package is (`go help importpath`). */
export const goGetRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(GO_GET, { config: outside, schema: { params }, exposeHeadRoute: false }, async (req, reply) => {
    await identifyReader(req)
    const path = await findModule(app.db, req.viewer, req.params.path)
    const project = `${req.site}/${path}`
    const module = project.replace(/^https?:\/\//, '')
    return reply
      .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(
        html`<!doctype html>
          <html lang="en">
            <head>
              <title>${path}</title>
              <meta name="go-import" content="${module} git ${project}.git" />
            </head>
            <body>
              go get ${module}
            </body>
          </html> `.text,
      )
  })
}
