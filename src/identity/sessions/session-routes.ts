import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { type Html, html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { momentAsHtml } from '#platform/pages/moments.ts'
import { leadTo } from '#platform/pages/notice.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import { browserName } from './browser-name.ts'
import { endOtherSessions } from './end-other-sessions.ts'
import { endSession } from './end-session.ts'
import { BySession, SessionPage } from './parameters.ts'
import { type SessionRow, sessionsOf } from './queries.ts'

const PER_PAGE = 50

/** The page that lists the user's sessions and ends them. */
export const sessionPages: FastifyPluginAsyncTypebox = async (app) => {
  const { db, clock } = app.services
  answerWithPages(app)

  app.get(
    pages.sessions,
    { config: page('signed in'), schema: { querystring: SessionPage } },
    async (req, reply) => {
      const { before } = req.query
      const now = clock.now().toISOString()
      const rows = await sessionsOf(db, req.user().id, { now, before, limit: PER_PAGE + 1 })
      const next = rows.length > PER_PAGE ? rows[PER_PAGE - 1]?.id : undefined
      const body = html`<h1>Sessions</h1>
        <p>
          The browsers in which you are signed in. End those that you do not know, and change your password.
        </p>
        <ul class="cards">
          ${rows.slice(0, PER_PAGE).map((row) => card(req, row))}
        </ul>
        ${next !== undefined && html`<p><a href="${pages.sessions}?before=${next}">Older sessions</a></p>`}
        <form class="bare" method="post" action="${pages.sessions}/end_others">
          ${csrfField(req)}
          <button type="submit" class="danger">End all other sessions</button>
        </form>`
      return sendPage(req, reply, { title: 'Sessions', body })
    },
  )

  app.post(
    `${pages.sessions}/:id/end`,
    { config: page('signed in'), schema: { params: BySession } },
    async (req, reply) => {
      const ended = await req.write((tx) => endSession(tx, req.user().id, req.params.id))
      if (!ended) throw notFound('Session')
      return back(req, reply)
    },
  )

  app.post(`${pages.sessions}/end_others`, { config: page('signed in') }, async (req, reply) => {
    const kept = req.identity?.credential.id ?? 0
    await req.write((tx) => endOtherSessions(tx, req.user().id, kept))
    return back(req, reply)
  })
}

const back = (req: FastifyRequest, reply: FastifyReply) => leadTo(req, reply, pages.sessions, 'Ended.')

function card(
  req: FastifyRequest,
  { id, ip, user_agent, created_at, last_used_at, ends_at }: SessionRow,
): Html {
  const browser = browserName(user_agent)
  const isThis = id === req.identity?.credential.id
  return html`<li class="card">
    <h2>${browser} ${isThis && html`<span class="mark">this browser</span>`}</h2>
    <dl>
      <div>
        <dt>Address</dt>
        <dd>${ip ?? 'unknown'}</dd>
      </div>
      <div>
        <dt>Signed in</dt>
        <dd>${momentAsHtml(created_at)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${isThis ? 'now' : last_used_at === null ? 'never' : momentAsHtml(last_used_at)}</dd>
      </div>
      <div>
        <dt>Ends</dt>
        <dd>${momentAsHtml(ends_at)}</dd>
      </div>
    </dl>
    ${
      !isThis &&
      html`<form class="actions" method="post" action="${pages.sessions}/${id}/end">
        ${csrfField(req)}
        <button type="submit" class="danger">
          End <span class="unseen">the session of ${browser} at ${ip ?? 'an unknown address'}</span>
        </button>
      </form>`
    }
  </li>`
}
