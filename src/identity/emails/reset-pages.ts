import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { transact } from '#platform/db/transaction.ts'
import { networkOf } from '#platform/http/addresses.ts'
import { notFound } from '#platform/refusals.ts'
import { html } from '#platform/http/html.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { askAgain, fieldWriterFor, type Problems, typed } from '#platform/pages/forms.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import { findLink } from './account-links.ts'
import { ResetForm, ResetPage, ResetRequest } from './parameters.ts'
import { resetPassword } from './reset-password.ts'
import { sendReset } from './send-reset.ts'

const ASK = '/users/password/new'
const SET = '/users/password/edit'

const HOUR = 60 * 60
/** Per address of the internet, and per mail address: nobody's mailbox fills up. */
const perNetwork = { points: 20, seconds: HOUR }
const perEmail = { points: 3, seconds: HOUR }

/** The pages with which people get a new password by mail. */
export const resetPages: FastifyPluginAsyncTypebox = async (app) => {
  const { services, db } = app
  answerWithPages(app)
  app.addHook('preHandler', async () => {
    if (!services.sendsMail) throw notFound()
  })

  app.get(ASK, { config: page('anyone') }, async (req, reply) => sendAsk(req, reply, {}))

  app.post(
    ASK,
    { config: page('anyone'), schema: { body: ResetRequest }, errorHandler: askAgain(sendAsk) },
    async (req, reply) => {
      const email = req.body.email.trim()
      await services.limits.take('password resets of an address', networkOf(req.ip), perNetwork)
      await services.limits.take('password resets', email.toLowerCase(), perEmail)
      // A job looks for the account, so that the answer takes the same time whether there is one or not.
      const by = { author: null, ip: req.ip, requestId: req.id }
      await transact(services, by, (tx) => enqueue(tx, sendReset, { email }))
      const body = html`<h1>Look into your mail</h1>
        <p role="status">
          If <strong>${email}</strong> belongs to an account, a mail with a link is on its way. The link works
          for an hour.
        </p>
        <p><a href="/users/sign_in">Back to signing in</a></p>`
      return sendPage(req, reply, { title: 'Look into your mail', body })
    },
  )

  app.get(SET, { config: page('anyone'), schema: { querystring: ResetPage } }, async (req, reply) => {
    const { reset_password_token } = req.query
    const link = await findLink(db, 'password', reset_password_token, services.clock.now().toISOString())
    return link === undefined ? sendGone(req, reply) : sendSet(req, reply, {}, reset_password_token)
  })

  app.post(
    SET,
    {
      config: page('anyone'),
      schema: { body: ResetForm },
      errorHandler: askAgain((req, reply, problems) =>
        sendSet(req, reply, problems, typed(req, 'reset_password_token')),
      ),
    },
    async (req, reply) => {
      const done = await resetPassword(services, { ...req.body, ip: req.ip })
      if (!done) return sendGone(req, reply)
      const body = html`<h1>Your password is changed</h1>
        <p role="status">You are signed out everywhere. Sign in with the new password.</p>
        <p><a href="/users/sign_in">Sign in</a></p>`
      return sendPage(req, reply, { title: 'Your password is changed', body })
    },
  )
}

function sendAsk(req: FastifyRequest, reply: FastifyReply, problems: Problems): Promise<FastifyReply> {
  const field = fieldWriterFor(problems)
  const body = html`<h1>Forgot your password?</h1>
    <form method="post" action="${ASK}">
      ${csrfField(req)}
      ${field({
        name: 'email',
        label: 'E-mail address',
        hint: 'One that belongs to your account and is confirmed.',
        attributes: html`type="email" value="${typed(req, 'email')}" required maxlength="254"
        autocomplete="email"`,
      })}
      <p class="actions"><button type="submit">Send a link</button></p>
    </form>`
  return sendPage(req, reply, { title: 'Forgot your password?', body })
}

function sendSet(
  req: FastifyRequest,
  reply: FastifyReply,
  problems: Problems,
  token: string,
): Promise<FastifyReply> {
  const field = fieldWriterFor(problems)
  const password = html`type="password" required maxlength="1024" autocomplete="new-password"`
  const body = html`<h1>Set a new password</h1>
    <form method="post" action="${SET}">
      ${csrfField(req)}
      <input type="hidden" name="reset_password_token" value="${token}" />
      ${field({
        name: 'password',
        label: 'New password',
        hint: 'At least 8 characters. You are signed out everywhere.',
        attributes: html`${password} minlength="8"`,
      })}
      ${field({ name: 'password_confirmation', label: 'New password again', attributes: password })}
      <p class="actions"><button type="submit">Set the password</button></p>
    </form>`
  return sendPage(req, reply, { title: 'Set a new password', body })
}

function sendGone(req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = html`<h1>This link does not work any more</h1>
    <p>Links to set a password work once, and not for long.</p>
    <p><a href="${ASK}">Ask for a new one</a></p>`
  return sendPage(req, reply, { title: 'The link does not work any more', body, status: 404 })
}
