import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { html } from '#platform/http/html.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import { lockUser } from '#identity/users/queries.ts'
import { updateUser } from '#identity/users/update-user.ts'
import { type AccountLink, dropLinks, findLink } from './account-links.ts'
import { ConfirmationPage } from './parameters.ts'
import { confirmEmail } from './write-email.ts'

const PATH = '/users/confirmation'

/** The page that the link in a confirmation mail leads to. Programs that look at links confirm nothing: people do. */
export const confirmationPages: FastifyPluginAsyncTypebox = async (app) => {
  const { services, db } = app
  answerWithPages(app)

  app.get(PATH, { config: page('anyone'), schema: { querystring: ConfirmationPage } }, async (req, reply) => {
    const { confirmation_token } = req.query
    const link = await findLink(db, 'email', confirmation_token, services.clock.now().toISOString())
    if (link === undefined) return sendGone(req, reply)
    const body = html`<h1>Confirm your e-mail address</h1>
      <form method="post" action="${PATH}">
        ${csrfField(req)}
        <input type="hidden" name="confirmation_token" value="${confirmation_token}" />
        <p>Does <strong>${link.email}</strong> belong to you?</p>
        <p class="actions"><button type="submit">Confirm</button></p>
      </form>`
    return sendPage(req, reply, { title: 'Confirm your e-mail address', body })
  })

  app.post(PATH, { config: page('anyone'), schema: { body: ConfirmationPage } }, async (req, reply) => {
    const { confirmation_token } = req.body
    const confirmed = await transact(
      services,
      { author: null, ip: req.ip, requestId: req.id },
      async (tx) => {
        const link = await findLink(tx.db, 'email', confirmation_token, tx.now)
        return link === undefined ? undefined : confirm(tx, link)
      },
    )
    if (confirmed === undefined) return sendGone(req, reply)
    const body = html`<h1>Thank you</h1>
      <p role="status"><strong>${confirmed}</strong> is confirmed.</p>
      <p><a href="/">Go on</a></p>`
    return sendPage(req, reply, { title: 'Address confirmed', body })
  })
}

/** @returns the address; undefined when it is no longer wanted, or somebody else has it now. */
async function confirm(tx: Tx, link: AccountLink): Promise<string | undefined> {
  const user = await lockUser(tx, link.user_id)
  const asTheirs: Tx = { ...tx, author: { id: user.id, username: user.username } }
  await dropLinks(tx, 'email', user.id, link.email)
  if (user.unconfirmed_email !== link.email) {
    return (await confirmEmail(asTheirs, user, link.email)) ? link.email : undefined
  }
  await updateUser(asTheirs, user, { email: link.email })
  return link.email
}

function sendGone(req: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = html`<h1>This link does not work any more</h1>
    <p>Links to confirm an address work once, for three days. Add the address again to get a new one.</p>
    <p><a href="/">Back to the start</a></p>`
  return sendPage(req, reply, { title: 'The link does not work any more', body, status: 404 })
}
