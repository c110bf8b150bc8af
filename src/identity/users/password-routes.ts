import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { askAgain, fieldWriterFor, type Problems } from '#platform/pages/forms.ts'
import { pages } from '#platform/pages/links.ts'
import { leadTo } from '#platform/pages/notice.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import { changePassword } from './change-password.ts'
import { PasswordForm } from './parameters.ts'

/** The page where people change their own password. */
export const passwordPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(pages.password, { config: page('signed in') }, async (req, reply) => sendForm(req, reply, {}))

  app.post(
    pages.password,
    { config: page('signed in'), schema: { body: PasswordForm }, errorHandler: askAgain(sendForm) },
    async (req, reply) => {
      const { id, username } = req.user()
      const sessionId = req.identity?.credential.id ?? 0
      await changePassword(app.services, { id, username, ip: req.ip, sessionId }, req.body)
      return leadTo(
        req,
        reply,
        pages.password,
        'Your password is changed. You are signed out everywhere else.',
      )
    },
  )
}

function sendForm(req: FastifyRequest, reply: FastifyReply, problems: Problems): Promise<FastifyReply> {
  const field = fieldWriterFor(problems)
  const password = html`type="password" required maxlength="1024"`
  const body = html`<h1>Password</h1>
    <form method="post" action="${pages.password}">
      ${csrfField(req)}
      <input type="hidden" name="username" value="${req.user().username}" autocomplete="username" />
      ${field({
        name: 'current_password',
        label: 'Current password',
        attributes: html`${password} autocomplete="current-password"`,
      })}
      ${field({
        name: 'password',
        label: 'New password',
        hint: 'At least 8 characters. You stay signed in here, and are signed out everywhere else.',
        attributes: html`${password} minlength="8" autocomplete="new-password"`,
      })}
      ${field({
        name: 'password_confirmation',
        label: 'New password again',
        attributes: html`${password} autocomplete="new-password"`,
      })}
      <p class="actions"><button type="submit">Change password</button></p>
    </form>`
  return sendPage(req, reply, { title: 'Password', body })
}
