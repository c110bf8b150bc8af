import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { SIGN_IN, SIGN_OUT } from '#platform/http/browser-sessions.ts'
import { askAgain, fieldWriterFor, type Problems, typed } from '#platform/pages/forms.ts'
import { answerWithPages, csrfField, sendPage } from '#platform/pages/page.ts'
import { clearSessionCookies, setSessionCookie } from './cookie.ts'
import { endSession } from './end-session.ts'
import { ownPath } from './own-path.ts'
import { ReturnTo, SignInForm } from './parameters.ts'
import { isNew } from './queries.ts'
import { signIn } from './sign-in.ts'

/** The pages that sign people in and out. */
export const signInPages: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  answerWithPages(app)

  app.get(SIGN_IN, { config: page('anyone'), schema: { querystring: ReturnTo } }, async (req, reply) => {
    const path = ownPath(req.query.return_to)
    if (req.identity !== undefined) return goTo(req, reply, path)
    return sendForm(req, reply, { path, isNew: await isNew(services.db) })
  })

  app.post(
    SIGN_IN,
    {
      config: page('anyone'),
      schema: { body: SignInForm },
      errorHandler: askAgain((req, reply, problems) =>
        sendForm(req, reply, { path: ownPath(typed(req, 'return_to')), problems }),
      ),
    },
    async (req, reply) => {
      const { login, password, return_to } = req.body
      const path = ownPath(return_to)
      const replaces = sessionIn(req)
      const userAgent = req.headers['user-agent'] ?? null
      const signedIn = await signIn(services, {
        login: login.trim(),
        password,
        ip: req.ip,
        userAgent,
        replaces,
      })
      if ('refusal' in signedIn) return sendForm(req, reply.code(422), { path, refusal: signedIn.refusal })
      setSessionCookie(req, reply, signedIn)
      return goTo(req, reply, path)
    },
  )

  app.post(SIGN_OUT, { config: page('anyone') }, async (req, reply) => {
    const session = sessionIn(req)
    if (session !== null) await req.write((tx) => endSession(tx, session.userId, session.id))
    clearSessionCookies(req, reply)
    return reply.redirect(exitOf(services.settings().after_sign_out_path), 303)
  })
}

function sessionIn({ identity }: FastifyRequest): { id: number; userId: number } | null {
  return identity?.credential.kind === 'session'
    ? { id: identity.credential.id, userId: identity.user.id }
    : null
}

/** Where people go after signing out: the path or URL that the administrators chose, or the sign-in page. */
function exitOf(chosen: string | null): string {
  if (chosen === null) return SIGN_IN
  const url = URL.parse(chosen)
  if (url !== null) return /^https?:$/.test(url.protocol) ? url.href : SIGN_IN
  const path = ownPath(chosen)
  return path === '/' ? SIGN_IN : path
}

/**
 * Redirects after signing in. Browsers check every redirect that follows a form against the page's policy.
 * Authorization ends at an application on another site, so a link starts that way afresh.
 */
async function goTo(req: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
  if (req.method === 'GET' || !path.startsWith('/oauth/')) {
    return reply.header('cache-control', 'no-store').redirect(path, 303)
  }
  const body = html`<h1>You are signed in</h1>
    <p><a href="${path}">Go on</a></p>`
  return sendPage(req, reply, { title: 'Signed in', body, goesTo: path })
}

interface FormState {
  /** Where to go afterwards. */
  readonly path: string
  readonly refusal?: string
  readonly problems?: Problems
  /** Nobody has signed in to this server yet. */
  readonly isNew?: boolean
}

/** Where people ask for a new password. */
const FORGOTTEN = '/users/password/new'

/** For whoever has just started the server. */
const WELCOME = html`<div class="notice">
  <p>
    This server is new. Its administrator is <code>root</code>. The first start showed the password on its
    terminal, or wrote it to <code>first-administrator.txt</code> in the data folder, unless you chose one
    with <code>FORGELET_ROOT_PASSWORD</code>.
  </p>
</div>`

function sendForm(
  req: FastifyRequest,
  reply: FastifyReply,
  { path, refusal, problems = {}, isNew: first }: FormState,
) {
  const field = fieldWriterFor(problems)
  const refused = refusal !== undefined && html`aria-describedby="refusal"`
  const body = html`<h1>Sign in</h1>
    ${first === true && WELCOME}
    ${refusal !== undefined && html`<p class="alert" id="refusal" role="alert">${refusal}</p>`}
    <form method="post" action="${SIGN_IN}">
      ${csrfField(req)}
      <input type="hidden" name="return_to" value="${path}" />
      ${field({
        name: 'login',
        label: 'Username or e-mail address',
        attributes: html`value="${typed(req, 'login')}" required maxlength="255" autocomplete="username"
        autocapitalize="none" spellcheck="false" ${refused}`,
      })}
      ${field({
        name: 'password',
        label: 'Password',
        attributes: html`type="password" required maxlength="1024" autocomplete="current-password" ${refused}`,
      })}
      <p class="actions"><button type="submit">Sign in</button></p>
    </form>
    ${req.server.services.sendsMail && html`<p><a href="${FORGOTTEN}">Forgot your password?</a></p>`}`
  return sendPage(req, reply, { title: 'Sign in', body })
}
