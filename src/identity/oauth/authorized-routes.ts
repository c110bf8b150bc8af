import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { html, type Html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { momentAsHtml } from '#platform/pages/moments.ts'
import { leadTo } from '#platform/pages/notice.ts'
import { answerWithPages, sendPage } from '#platform/pages/page.ts'
import { question } from '#platform/pages/question.ts'
import { scopesAsHtml } from '#platform/pages/scope-choices.ts'
import { ByApplication } from './parameters.ts'
import { type AuthorizedApplication, authorizedApplications } from './queries.ts'
import { revokeApplication } from './revoke-application.ts'

/** The page where people see and revoke the applications that act for them. */
export const authorizedPages: FastifyPluginAsyncTypebox = async (app) => {
  const { db, clock } = app.services
  answerWithPages(app)

  app.get(pages.authorized, { config: page('signed in') }, async (req, reply) => {
    const applications = await authorizedApplications(db, req.user().id, clock.now().toISOString())
    const body = html`<h1>Authorized applications</h1>
      <p>These may act in your name, because you let them.</p>
      ${applications.length === 0 && html`<p class="quiet">There are none.</p>`}
      <ul class="cards">
        ${applications.map((application) => card(req, application))}
      </ul>`
    return sendPage(req, reply, { title: 'Authorized applications', body })
  })

  app.post(
    `${pages.authorized}/:id/revoke`,
    { config: page('signed in'), schema: { params: ByApplication } },
    async (req, reply) => {
      const revoked = await req.write((tx) => revokeApplication(tx, req.user().id, req.params.id))
      if (!revoked) throw notFound('Application')
      return leadTo(req, reply, pages.authorized, 'Revoked.')
    },
  )
}

function card(req: FastifyRequest, application: AuthorizedApplication): Html {
  const { id, name, owner_username, scopes, authorized_at, last_used_at } = application
  return html`<li class="card">
    <h2>${name}</h2>
    <p class="quiet">${owner_username === null ? 'Of this instance' : `Of @${owner_username}`}</p>
    ${scopesAsHtml(scopes)}
    <dl>
      <div>
        <dt>Authorized</dt>
        <dd>${momentAsHtml(authorized_at)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${momentAsHtml(last_used_at)}</dd>
      </div>
    </dl>
    <div class="actions">
      ${question(req, {
        verb: 'Revoke',
        name,
        warning: 'It must ask you again before it can act for you.',
        action: `${pages.authorized}/${id}/revoke`,
      })}
    </div>
  </li>`
}
