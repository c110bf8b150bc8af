import type { FastifyRequest } from 'fastify'
import { askService } from './ask-service.ts'
import { type Content, wholeOf } from './content.ts'

/** `blatant`: so clearly spam that no CAPTCHA helps. */
export type Verdict = 'fine' | 'spam' | 'blatant' | 'unknown'

/** Characters that the service gets to read. */
const MAX_CHECKED_TEXT = 100_000

/** Asks an Akismet-compatible service. `unknown` when it does not answer, which the log says. */
export async function verdictOn(req: FastifyRequest, content: Content): Promise<Verdict> {
  const { config, outgoing } = req.server.services
  const { spamUrl: url, spamKey: key } = config
  if (url === undefined || key === undefined) return 'fine'
  const { id, username } = req.user()
  const email = await addressOf(req, id)
  try {
    const { text, headers } = await askService(outgoing, `${url}/comment-check`, {
      api_key: key,
      blog: req.site,
      user_ip: req.ip,
      user_agent: req.headers['user-agent'] ?? '',
      referrer: '',
      comment_type: content.noun === 'note' ? 'reply' : 'forum-post',
      comment_author: username,
      comment_author_email: email,
      comment_content: wholeOf(content).slice(0, MAX_CHECKED_TEXT),
    })
    const said = text.trim()
    if (said === 'false') return 'fine'
    if (said === 'true') return headers['x-akismet-pro-tip'] === 'discard' ? 'blatant' : 'spam'
    throw new Error(`The service answered neither true nor false: ${said.slice(0, 100)}`)
  } catch (error) {
    req.log.warn({ err: error }, 'the spam service did not say what it thinks')
    return 'unknown'
  }
}

async function addressOf(req: FastifyRequest, id: number): Promise<string> {
  const row = await req.server.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirst()
  return row?.email ?? ''
}
