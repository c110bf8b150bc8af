import type { FastifyRequest } from 'fastify'
import { digestOf } from '#platform/access/digest.ts'
import type { Policy } from '#platform/access/identity.ts'
import { authenticate } from '#platform/access/authentication.ts'
import {
  type SentCredential,
  HOST_COOKIE,
  SESSION_COOKIES,
  sessionSecretIn,
} from '#platform/access/credentials.ts'
import { csrfTokenOf, isCsrfToken } from '#platform/access/csrf.ts'
import { outside } from '#platform/access/route-access.ts'
import type { Clock } from '#platform/context.ts'
import { isRead } from './methods.ts'
import { HttpError } from './errors.ts'
import { forbidden } from '#platform/refusals.ts'
import { baseUrl, isSecure } from './links.ts'
import { dayOf } from './time.ts'

/** The sign-in page. Pages for signed-in people send everybody else there, and back afterwards. */
export const SIGN_IN = '/users/sign_in'
/** Where a form signs people out. */
export const SIGN_OUT = '/users/sign_out'

/** The hidden field of every form, so that only forms of this instance are accepted. */
export const CSRF_FIELD = 'authenticity_token'

interface Allowing {
  readonly clock: Clock
  readonly settings: () => {
    readonly impersonation_enabled: boolean
    readonly enforce_ci_inbound_job_token_scope_enabled: boolean
  }
}

/** The moment, and what the instance allows, as authentication needs it. */
export function policyOf({ clock, settings }: Allowing): Policy {
  const now = clock.now()
  return {
    now,
    today: dayOf(now),
    impersonationEnabled: settings().impersonation_enabled,
    allowListsEnforced: settings().enforce_ci_inbound_job_token_scope_enabled,
  }
}

/**
 * Identifies the visitor of a page by the session cookie alone, because tokens are for programs.
 * @throws 303 to the sign-in page when the page requires signing in.
 */
export async function recognizeBrowserSession(
  request: FastifyRequest,
  who: 'signed in' | 'anyone',
): Promise<void> {
  const { services } = request.server
  const secret = sessionSecretOf(request)
  const session: SentCredential | undefined =
    secret === undefined ? undefined : { kind: 'session', digest: digestOf(secret) }
  request.identity = await authenticate(services.db, session, outside.access, policyOf(services))
  request.recognized = true
  if (request.identity) services.lastUsed.note(request.identity.credential)
  else if (who === 'signed in') throw seeOther(signInUrl(request))
}

/**
 * The secret of the browser session. Under https, pages accept only the cookie that no other host can set. Otherwise
 * a neighbouring host could make people work in a session of its choice.
 */
function sessionSecretOf(request: FastifyRequest): string | undefined {
  return sessionSecretIn(request.headers.cookie, isSecure(request) ? [HOST_COOKIE] : SESSION_COOKIES)
}

/** The CSRF token for the forms of this browser session; empty for people who are not signed in. */
export function csrfTokenFor(request: FastifyRequest): string {
  const secret = sessionSecretOf(request)
  return secret === undefined || request.identity === undefined ? '' : csrfTokenOf(secret)
}

/** Sends the browser to another page by GET. */
export const seeOther = (location: string) => new HttpError(303, `See ${location}`, { location })

/** The URL of the sign-in page, which leads back to the page that was requested. */
export function signInUrl({ method, originalUrl }: FastifyRequest): string {
  const wanted = method === 'GET' ? originalUrl : '/'
  return wanted === '/' ? SIGN_IN : `${SIGN_IN}?${new URLSearchParams({ return_to: wanted }).toString()}`
}

/**
 * Requires that a form comes from a page of this instance. Signed-in people must send the token that only our pages
 * know. Others have no session to abuse, but another site must not sign them in as a different user; for them,
 * browsers say where a form comes from.
 * @throws 403
 */
export function assertOwnForm(request: FastifyRequest): void {
  const { body, headers, identity, method } = request
  if (isRead(method)) return
  const given = typeof body === 'object' && body !== null && CSRF_FIELD in body ? body[CSRF_FIELD] : undefined
  const secret = sessionSecretOf(request)
  if (identity !== undefined && secret !== undefined) {
    if (!isCsrfToken(given ?? headers['x-csrf-token'], secret)) throw forbidden('the form has expired')
    return
  }
  if (originOf(request) === 'another') throw forbidden('the form comes from another site')
}

/** Whether the browser says that a form comes from a page of this instance. Without a token, that is no proof that somebody wants it. */
export const isOwnForm = (request: FastifyRequest): boolean => originOf(request) === 'own'

function originOf(request: FastifyRequest): 'own' | 'another' | 'unknown' {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site === 'same-origin' ? 'own' : site === 'none' ? 'unknown' : 'another'
  if (origin === undefined) return 'unknown'
  return [baseUrl(request), new URL(request.site).origin].includes(origin) ? 'own' : 'another'
}
