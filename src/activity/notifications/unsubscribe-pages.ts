import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { transact } from '#platform/db/transaction.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { html } from '#platform/http/html.ts'
import { secret } from '#platform/http/schema.ts'
import { answerWithPages, sendPage } from '#platform/pages/page.ts'
import { unsubscribe } from './unsubscribe.ts'
import { readToken, UNSUBSCRIBE, type Unsubscription } from './unsubscribe-link.ts'

const ByToken = Type.Object({ token: secret({ max: 100 }) })

/**
 * Where the links in mails lead. They work without signing in: the signature says for whom. A look changes nothing,
 * because programs that check mails for bad links look at all of them; mail programs with a button of their own post to the
 * same path (RFC 8058).
 */
export const unsubscribePages: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  answerWithPages(app)

  app.get(`${UNSUBSCRIBE}/:token`, { config: outside, schema: { params: ByToken } }, (req, reply) => {
    const { from } = wanted(req.params.token)
    return sendPage(req, reply, {
      title: 'Unsubscribe',
      body: html`<h1>Unsubscribe</h1>
        <p>${'noteable' in from ? about.thread : about.place}</p>
        <form method="post"><button>Unsubscribe</button></form>`,
    })
  })

  app.post(`${UNSUBSCRIBE}/:token`, { config: outside, schema: { params: ByToken } }, async (req, reply) => {
    const asked = wanted(req.params.token)
    await transact(services, { author: null, ip: req.ip }, (tx) => unsubscribe(tx, asked))
    return sendPage(req, reply, {
      title: 'Unsubscribed',
      body: html`<h1>Unsubscribed</h1>
        <p>${'noteable' in asked.from ? done.thread : done.place}</p>`,
    })
  })

  /** @throws 404 for a link that this instance did not sign */
  function wanted(token: string): Unsubscription {
    return orNotFound(readToken(services.secrets, token))
  }
}

const about = {
  thread: 'You will get no more mails about this, unless somebody mentions you or you subscribe again.',
  place: 'You will get no more mails of this project, unless you change your notification settings for it.',
} as const
const done = {
  thread: 'You get no more mails about this, unless somebody mentions you or you subscribe again.',
  place: 'You get no more mails of this project, unless you change your notification settings for it.',
} as const
