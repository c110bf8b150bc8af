import { stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_COOKIES } from '#access/credentials.ts'

/** Gives the browser a session, for as long as that lasts. */
export function setSessionCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, minutes }: { readonly secret: string; readonly minutes: number },
): void {
  const [name] = SESSION_COOKIES
  reply.header('set-cookie', cookie(request, name, secret, minutes * 60))
}

/** Takes it away, under every name. */
export function clearSessionCookies(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(
    'set-cookie',
    SESSION_COOKIES.map((name) => cookie(request, name, '', 0)),
  )
}

/** Scripts cannot read it, other sites' forms do not send it, and where there is https it goes no other way. */
function cookie(request: FastifyRequest, name: string, value: string, maxAge: number): string {
  const secure = request.protocol === 'https' || request.site.startsWith('https:')
  return stringifySetCookie({ name, value, path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge })
}
