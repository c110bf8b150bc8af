import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyone, reads } from '#platform/access/route-access.ts'
import { sendHead } from '#platform/http/headers.ts'
import { AtomFeed, type Feed, sendFeed } from '#platform/pages/atom-feed.ts'
import { Api } from '../frame/api.ts'

/** A feed that is also for strangers, as far as they see what it is about. What it asks the API for says which scopes a token needs. */
export const forAll = reads(anyone, { anonymous: true, scopes: [], feedToken: true })
/** A feed for people that the API knows. */
export const forKnown = reads(anyone, { scopes: [], feedToken: true })

/** Feeds are also asked for their headers alone. */
export const method = ['GET', 'HEAD']

export const response = { 200: AtomFeed }

/** What a feed is made of. */
export type MakeFeed = (api: Api, site: string) => Promise<Omit<Feed, 'self'>>

/** Answers with a feed of what the API tells the reader. @throws as the API refuses */
export async function answerFeed(
  req: FastifyRequest,
  reply: FastifyReply,
  make: MakeFeed,
): Promise<string | undefined> {
  const feed = await make(new Api(req, 'for programs'), req.site)
  const text = sendFeed(reply, { ...feed, self: req.site + withoutToken(req.originalUrl) })
  return req.method === 'HEAD' ? sendHead(reply) : text
}

/** The address of a feed that others may see. */
function withoutToken(url: string): string {
  const [path = '', query = ''] = url.split('?', 2)
  const kept = [...new URLSearchParams(query)].filter(([name]) => !/token/i.test(name))
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`
}
