import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { plainParameters } from '#platform/http/body-kind.ts'
import { html } from '#platform/http/html.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import {
  answerUri,
  type AuthorizationRequest,
  readRequest,
  readWish,
  type Wish,
} from './authorization-request.ts'
import { authorizeApplication } from './authorize-application.ts'
import { decisions, hiddenFields, question } from './consent.ts'
import { OAuthError } from './errors.ts'
import { AuthorizationParameters, Decision } from './parameters.ts'
import { hasApproved, isAuthorized } from './queries.ts'

const plainPage = { ...page('signed in'), ...plainParameters }

/** The page to which applications send people for authorization (RFC 6749 §4.1.1), and the way back. */
export const authorizePages: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  answerWithPages(app)

  app.get(
    '/oauth/authorize',
    { config: plainPage, schema: { querystring: AuthorizationParameters } },
    async (req, reply) => {
      const request = await readRequest(db, req.query)
      return answering(req, reply, request, async () => {
        const wish = readWish(req.query, request.application, req.user())
        if (await agreedBefore(req, request, wish)) return sendCode(req, reply, request, wish)
        return ask(req, reply, request, wish)
      })
    },
  )

  app.post('/oauth/authorize', { config: plainPage, schema: { body: Decision } }, async (req, reply) => {
    // The page is not trusted: everything is checked again.
    const request = await readRequest(db, req.body)
    return answering(req, reply, request, async () => {
      const wish = readWish(req.body, request.application, req.user())
      if (req.body.decision !== 'authorize') return sendRefusal(req, reply, request)
      return sendCode(req, reply, request, wish)
    })
  })
}

/**
 * Answers an error in a request. Anybody can register an application and send people a link to it. Therefore only
 * trusted applications get the error by redirect; for all others a page shows it (RFC 9700 §4.11.2).
 */
async function answering(
  req: FastifyRequest,
  reply: FastifyReply,
  request: AuthorizationRequest,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    if (!(await isTrusted(req, request))) return explain(req, reply, request, error)
    return sendBack(req, reply, request, { error: error.code, error_description: error.description })
  }
}

/**
 * Trusted are the applications of the instance, which administrators registered, and those that the user approved
 * before.
 */
async function isTrusted(req: FastifyRequest, { application }: AuthorizationRequest): Promise<boolean> {
  if (application.owner_id === null) return true
  const { db, clock } = req.server.services
  const now = clock.now().toISOString()
  return hasApproved(db, { userId: req.user().id, applicationId: application.id, now })
}

function explain(
  req: FastifyRequest,
  reply: FastifyReply,
  { application }: AuthorizationRequest,
  { code, description }: OAuthError,
): Promise<FastifyReply> {
  const body = html`<h1>The application asks for something that cannot be</h1>
    <p>The request of <bdi>${application.name}</bdi> is refused: ${description}</p>
    <p>Its developers should know: <code>${code}</code></p>
    <p><a href="/">Back to the start</a></p>`
  return sendPage(req, reply, {
    title: 'The application asks for something that cannot be',
    body,
    status: 400,
  })
}

/**
 * Redirects a refusal to the application. The user refused on a page that named the target, so the redirect is safe.
 */
function sendRefusal(req: FastifyRequest, reply: FastifyReply, request: AuthorizationRequest): FastifyReply {
  return sendBack(req, reply, request, {
    error: 'access_denied',
    error_description: 'The user refused.',
  })
}

/**
 * Whether to skip the question: a confidential application already has tokens for these scopes. Public applications
 * always ask, because anybody could pose as them (RFC 6749 §10.2, RFC 8252 §8.6).
 */
async function agreedBefore(
  req: FastifyRequest,
  { application }: AuthorizationRequest,
  { scopes }: Wish,
): Promise<boolean> {
  if (!application.confidential) return false
  const { db, clock } = req.server.services
  const now = clock.now().toISOString()
  return isAuthorized(db, { userId: req.user().id, applicationId: application.id, now }, scopes)
}

async function sendCode(
  req: FastifyRequest,
  reply: FastifyReply,
  request: AuthorizationRequest,
  { scopes, codeChallenge }: Wish,
): Promise<FastifyReply> {
  const { application, redirectUri } = request
  const consent = { application, userId: req.user().id, scopes }
  const code = await req.write((tx) => authorizeApplication(tx, consent, { redirectUri, codeChallenge }))
  return sendBack(req, reply, request, { code })
}

/** Answers 303 after a form, so that browsers do not send the form on (RFC 9700 §4.12). */
function sendBack(
  req: FastifyRequest,
  reply: FastifyReply,
  request: AuthorizationRequest,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  return reply
    .code(req.method === 'POST' ? 303 : 302)
    .header('cache-control', 'no-store')
    .header('location', answerUri(request, req.site, answer))
    .send()
}

function ask(
  req: FastifyRequest,
  reply: FastifyReply,
  { application, redirectUri, state }: AuthorizationRequest,
  { scopes, codeChallenge }: Wish,
): Promise<FastifyReply> {
  const fields = {
    client_id: application.uid,
    redirect_uri: redirectUri,
    state,
    response_type: 'code',
    scope: scopes.join(' '),
    ...(codeChallenge !== null && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
  }
  const body = html`${question(application, scopes)}
    <p>Afterwards you are sent to <code>${placeOf(redirectUri)}</code>.</p>
    <form method="post" action="/oauth/authorize">
      ${csrfField(req)} ${hiddenFields(fields)} ${decisions}
    </form>`
  return sendPage(req, reply, {
    title: 'Authorize an application',
    body,
    formAction: formActionFor(redirectUri),
  })
}

/** The host, or the scheme of an app on the device. */
function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return host === '' || !/^https?:$/.test(protocol) ? protocol : host
}

/**
 * The `form-action` policy. Browsers check every redirect after a form, and applications redirect to other hosts of
 * theirs, so any https target is allowed. Loopback addresses and app schemes are named as far as the policy's grammar
 * permits.
 */
function formActionFor(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  if (protocol !== 'http:') return protocol
  return hostname.startsWith('[') ? 'http: https:' : `${origin} https:`
}
