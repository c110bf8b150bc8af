import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyPluginAsync } from 'fastify'
import { outside, page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { accountLinks, pages } from './links.ts'
import { answerWithPages, COPY_SCRIPT, ICON, sendPage, STYLESHEET } from './page.ts'

const files = [
  { path: STYLESHEET, of: ['pages.css', 'console.css'], type: 'text/css; charset=utf-8' },
  { path: COPY_SCRIPT, of: ['copy.js'], type: 'text/javascript; charset=utf-8' },
  { path: ICON, of: ['icon.svg'], type: 'image/svg+xml' },
  { path: '/robots.txt', of: ['robots.txt'], type: 'text/plain; charset=utf-8' },
]

/** The overview of one's account, and the files that all pages use. */
export const accountPages: FastifyPluginAsync = async (app) => {
  answerWithPages(app)

  for (const { path, of, type } of files) {
    const text = of.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('')
    app.get(path, { config: outside }, async (_, reply) => reply.type(type).send(text))
  }

  app.get(pages.account, { config: page('signed in') }, async (req, reply) => {
    const body = html`<h1>Welcome, <bdi>${req.user().name}</bdi></h1>
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
    return sendPage(req, reply, { title: 'Your account', body })
  })
}
