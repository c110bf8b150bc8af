import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOST_COOKIE, PLAIN_COOKIE, SESSION_COOKIES } from '#platform/access/credentials.ts'
import { isSecure } from '#platform/http/links.ts'

/** Sets the session cookie for as long as the session lasts. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, minutes }: { readonly secret: string; readonly minutes: number },
): void {
  const secure = isSecure(request)
  reply.header('set-cookie', cookie(secure ? HOST_COOKIE : PLAIN_COOKIE, secret, minutes * 60, secure))
}

/** Removes the session cookie under every name that the browser may have. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  const secure = isSecure(request)
  // Without https no browser keeps the first.
  const names = SESSION_COOKIES.filter((name) => secure || name !== HOST_COOKIE)
  reply.header(
    'set-cookie',
    names.map((name) => cookie(name, '', 0, secure)),
  )
}

/**
 * Scripts cannot read the cookie, forms of other sites do not send it, and where there is https it travels only that
 * way.
 */
function cookie(name: string, value: string, maxAge: number, secure: boolean): string {
  return stringifySetCookie({ name, value, path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge })
}
