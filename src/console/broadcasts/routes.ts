import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { stringifySetCookie } from 'cookie'
import { Type } from 'typebox'
import { ownPath } from '#identity/sessions/own-path.ts'
import { page } from '#platform/access/route-access.ts'
import { isSecure } from '#platform/http/links.ts'
import { integer, MAX_PATH, text } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { notFound } from '#platform/refusals.ts'
import { hidingCookie } from './broadcasts.ts'

/** Seconds for which browsers remember that a message is hidden, at most: no browser keeps a cookie for longer. */
const LASTS = 400 * 24 * 3_600

/** Hides a message from whoever does not want to see it again: their browser remembers it. */
export const broadcastRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { broadcastMessages, clock } = app.services
  answerWithPages(app)

  app.post(
    '/-/broadcast_messages/:id/dismiss',
    {
      config: page('anyone'),
      schema: {
        params: Type.Object({ id: integer() }),
        body: Type.Object({ return_to: Type.Optional(text({ max: MAX_PATH })) }),
      },
    },
    async (req, reply) => {
      const message = broadcastMessages.current().find(({ id }) => id === req.params.id)
      if (message?.dismissable !== true) throw notFound()
      const left = Math.ceil((Date.parse(iso(message.ends_at)) - clock.now().getTime()) / 1_000)
      const cookie = stringifySetCookie({
        name: hidingCookie(message.id),
        value: '1',
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: isSecure(req),
        maxAge: Math.min(Math.max(left, 1), LASTS),
      })
      return reply.header('set-cookie', cookie).redirect(ownPath(req.body.return_to), 303)
    },
  )
}
