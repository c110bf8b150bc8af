import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOST_COOKIE, PLAIN_COOKIE, SESSION_COOKIES } from '#platform/access/credentials.ts'
import { isSecure } from '#platform/http/links.ts'

/** Gives the browser a session, for as long as that lasts. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, minutes }: { readonly secret: string; readonly minutes: number },
): void {
  const secure = isSecure(request)
  reply.header('set-cookie', cookie(secure ? HOST_COOKIE : PLAIN_COOKIE, secret, minutes * 60, secure))
}

/** Takes it away, under every name that the browser may have. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  const secure = isSecure(request)
  // Without https no browser keeps the first.
  const names = SESSION_COOKIES.filter((name) => secure || name !== HOST_COOKIE)
  reply.header(
    'set-cookie',
    names.map((name) => cookie(name, '', 0, secure)),
  )
}

/** Scripts cannot read it, other sites' forms do not send it, and where there is https it goes no other way. */
function cookie(name: string, value: string, maxAge: number, secure: boolean): string {
  return stringifySetCookie({ name, value, path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge })
}
