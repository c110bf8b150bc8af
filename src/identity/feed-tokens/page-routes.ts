import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { page } from '#platform/access/route-access.ts'
import { pages } from '#platform/pages/links.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { makeFeedToken, resetFeedToken } from './feed-token.ts'
import { RESET } from './section.ts'

/** Where people make and reset their feed token. The page of access tokens shows it. */
export const feedTokenPages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.post(RESET, { config: page('signed in') }, async (req, reply) => {
    const token = await makeFeedToken(app.services)
    await req.write((tx) => resetFeedToken(tx, req.user().id, token))
    return reply.redirect(`${pages.tokens}#feed`, 303)
  })
}
