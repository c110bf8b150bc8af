import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { conflict } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { askAgain, typed, typedList } from '#platform/pages/forms.ts'
import { pages } from '#platform/pages/links.ts'
import { leadTo } from '#platform/pages/notice.ts'
import { answerWithPages, COPY_SCRIPT, sendPage } from '#platform/pages/page.ts'
import { feedTokenOf } from '#identity/feed-tokens/feed-token.ts'
import type { FreshToken } from './create-token.ts'
import { isExpired } from './entity.ts'
import { issueToken } from './issue-token.ts'
import { type TokenFormValues, tokensPage } from './page.ts'
import { ByToken, TokenForm, TokenPage } from './parameters.ts'
import { findOwnToken, ownActiveTokens, ownInactiveTokens } from './queries.ts'
import { lockFamily, revokeToken } from './revoke-token.ts'
import { rotateToken } from './rotate-token.ts'

const PER_PAGE = 50
/** How many of the latest inactive tokens are shown. */
const INACTIVE = 10

/** The pages where people make, rotate and revoke their own access tokens. */
export const tokenPages: FastifyPluginAsyncTypebox = async (app) => {
  const { settings } = app.services
  answerWithPages(app)

  app.get(
    pages.tokens,
    { config: page('signed in'), schema: { querystring: TokenPage } },
    async (req, reply) => {
      const { name = '', description = '', scopes = [], before } = req.query
      const form = { problems: {}, name, description, scopes, expires_at: undefined }
      return send(req, reply, { form, before })
    },
  )

  app.post(
    pages.tokens,
    {
      config: page('signed in'),
      schema: { body: TokenForm },
      errorHandler: askAgain((req, reply, problems) => {
        const text = (name: string) => typed(req, name)
        const scopes = typedList(req, 'scopes')
        const [name, description, expires_at] = [text('name'), text('description'), text('expires_at')]
        return send(req, reply, { form: { problems, name, description, scopes, expires_at } })
      }),
    },
    async (req, reply) => {
      const asked = { ...req.body, scopes: req.body.scopes ?? [] }
      const fresh = await req.write((tx) => issueToken(tx, 'personal', req.user(), asked, settings()))
      return send(req, reply, { fresh })
    },
  )

  app.post(
    `${pages.tokens}/:id/rotate`,
    { config: page('signed in'), schema: { params: ByToken } },
    async (req, reply) => {
      const fresh = await req.write(async (tx) => {
        const known = await findOwnToken(tx.db, req.user().id, req.params.id)
        await lockFamily(tx, known)
        const token = await findOwnToken(tx.db, req.user().id, req.params.id)
        // A second click does not suggest a theft, as use of the token itself would, so the family stays.
        if (token.revoked_at !== null || isExpired(token, dayOf(tx.now))) {
          throw conflict('409 Conflict - this token no longer works')
        }
        return rotateToken(tx, token, settings(), undefined)
      })
      return send(req, reply, { fresh })
    },
  )

  app.post(
    `${pages.tokens}/:id/revoke`,
    { config: page('signed in'), schema: { params: ByToken } },
    async (req, reply) => {
      await req.write(async (tx) => revokeToken(tx, await findOwnToken(tx.db, req.user().id, req.params.id)))
      return leadTo(req, reply, pages.tokens, 'Revoked.')
    },
  )

  // Older clients send people to this path.
  app.get('/-/profile/personal_access_tokens', { config: page('anyone') }, async (req, reply) => {
    const [, query] = (req.raw.url ?? '').split('?')
    return reply.redirect(query === undefined ? pages.tokens : `${pages.tokens}?${query}`, 303)
  })
}

interface PageState {
  readonly form?: TokenFormValues
  readonly before?: number | undefined
  /** A token that was just made, with its secret. */
  readonly fresh?: FreshToken | undefined
}

const blank: TokenFormValues = { problems: {}, name: '', description: '', scopes: [], expires_at: undefined }

async function send(
  req: FastifyRequest,
  reply: FastifyReply,
  { form = blank, before, fresh }: PageState,
): Promise<FastifyReply> {
  const { services } = req.server
  const { db, clock, settings } = services
  const { id } = req.user()
  const today = dayOf(clock.now())
  const active = await ownActiveTokens(db, id, { today, before, limit: PER_PAGE + 1 })
  const inactive = await ownInactiveTokens(db, id, { today, limit: INACTIVE })
  const feedToken = await feedTokenOf(services, id)
  const next = active.length > PER_PAGE ? active[PER_PAGE - 1]?.id : undefined
  const tokens = { active: active.slice(0, PER_PAGE), next, inactive }
  const body = tokensPage(req, { tokens, form, fresh, today, policy: settings(), feedToken })
  const scripts = fresh === undefined ? [] : [COPY_SCRIPT]
  return sendPage(req, reply, { title: 'Access tokens', body, scripts })
}
