import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { outside, page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { SIGN_IN } from '#platform/http/browser-sessions.ts'
import { accountLinks } from './links.ts'
import { answerWithPages, COPY_SCRIPT, ICON, sendPage, STYLESHEET } from './page.ts'

const files = [
  { path: STYLESHEET, of: ['pages.css', 'console.css'], type: 'text/css; charset=utf-8' },
  { path: COPY_SCRIPT, of: ['copy.js'], type: 'text/javascript; charset=utf-8' },
  { path: ICON, of: ['icon.svg'], type: 'image/svg+xml' },
  { path: '/robots.txt', of: ['robots.txt'], type: 'text/plain; charset=utf-8' },
]

/** The start page, and the files that all pages use. */
export const startPages: FastifyPluginAsync = async (app) => {
  answerWithPages(app)

  for (const { path, of, type } of files) {
    const text = of.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('')
    app.get(path, { config: outside }, async (_, reply) => reply.type(type).send(text))
  }

  app.get('/', { config: page('anyone') }, async (req, reply) => {
    const user = req.identity?.user
    if (user === undefined) return reply.redirect(entranceFor(req), 303)
    const body = html`<h1>Welcome, <bdi>${user.name}</bdi></h1>
      <ul class="cards">
        ${accountLinks.map(
          ({ path, title, about }) =>
            html`<li class="card">
              <h2><a href="${path}">${title}</a></h2>
              <p>${about}</p>
            </li>`,
        )}
        <li class="card">
          <h2><a href="/-/docs">API reference</a></h2>
          <p>Every endpoint with its parameters and answers.</p>
        </li>
      </ul>`
    return sendPage(req, reply, { title: 'Overview', body })
  })
}

/**
 * Where the start page redirects: to the home page that the administrators chose, unless that is this page, or to the
 * sign-in page.
 */
function entranceFor(req: FastifyRequest): string {
  const { home_page_url: home } = req.server.services.settings()
  const url = home === null ? null : URL.parse(home)
  if (url === null || !/^https?:$/.test(url.protocol)) return SIGN_IN
  const isHere = url.pathname === '/' && [req.host, new URL(req.site).host].includes(url.host)
  return isHere ? SIGN_IN : url.href
}
