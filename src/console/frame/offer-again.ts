import type { FastifyReply, FastifyRequest } from 'fastify'
import { SIGN_IN } from '#platform/http/browser-sessions.ts'
import { type Html, html } from '#platform/http/html.ts'
import { csrfField } from '#platform/pages/page.ts'
import { SEEN, SHOWN } from './forms.ts'
import { fieldsIn } from './sent.ts'
import { show } from './show.ts'

/** Characters of a value that is shown, so that people see what they would send. */
const SHOWN_FROM = 40

/**
 * Shows what somebody typed before their session ended, to be sent as whoever has signed in since. Only for forms of this instance:
 * another site must not prepare them.
 */
export function offerAgain(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const user = request.identity?.user
  const submit = user === undefined ? 'Send it' : `Send it as ${user.username}`
  const body = html`<h1>Your session had ended</h1>
    <p>Nothing was sent yet, and nothing of what you typed is lost.</p>
    ${
      user === undefined &&
      html`<p>
        <a href="${SIGN_IN}" target="_blank" rel="noopener">Sign in</a> in another window, then send it here.
      </p>`
    }
    <form method="post">
      ${csrfField(request)} ${fieldsIn(request).map(([name, value]) => field(name, value))}
      <p class="actions"><button type="submit">${submit}</button></p>
    </form>`
  return show(request, reply.code(401), { title: 'Your session had ended', body })
}

/** What the form tells for itself: nobody reads it. */
const TOLD: ReadonlySet<string> = new Set([SEEN, SHOWN])

const field = (name: string, value: string): Html =>
  TOLD.has(name) || (value.length < SHOWN_FROM && !value.includes('\n'))
    ? html`<input type="hidden" name="${name}" value="${value}" />`
    : html`<div class="field">
        <label for="${name}">${name.replaceAll('_', ' ')}</label>
        <textarea id="${name}" name="${name}">${value}</textarea>
      </div>`
