import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { csrfTokenFor } from '#platform/http/browser-sessions.ts'
import { isSecure } from '#platform/http/links.ts'

/** Keeps a notice until the next page shows it. */
const COOKIE = 'forgelet_notice'
/** Seconds. Nobody wants to read it later. */
const LASTS = 60

/**
 * Leads to a page after something was done, where the page says so once.
 * @param notice a sentence
 */
export function leadTo(
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
  notice: string,
): FastifyReply {
  const text = Buffer.from(notice)
  const value = `${text.toString('base64url')}.${signatureOf(request, text).toString('base64url')}`
  return reply.header('set-cookie', cookie(request, value, LASTS)).redirect(address, 303)
}

/** The notice that waits for the visitor, which is forgotten by that; undefined where there is none. */
export function takeNotice(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const value = parseCookie(request.headers.cookie ?? '')[COOKIE]
  if (value === undefined) return undefined
  reply.header('set-cookie', cookie(request, '', 0))
  // Whoever knows this program could sign one for strangers, who have no secret.
  if (request.identity === undefined) return undefined
  const [text = '', signature = ''] = value.split('.')
  const given = Buffer.from(signature, 'base64url')
  const notice = Buffer.from(text, 'base64url')
  const known = signatureOf(request, notice)
  return given.length === known.length && timingSafeEqual(given, known) ? notice.toString() : undefined
}

/** Another host of the same domain can set cookies for this one, too; it cannot sign them. */
const signatureOf = (request: FastifyRequest, text: Buffer): Buffer =>
  createHmac('sha256', `notice ${csrfTokenFor(request)}`)
    .update(text)
    .digest()

const cookie = (request: FastifyRequest, value: string, maxAge: number): string =>
  stringifySetCookie({
    name: COOKIE,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    maxAge,
  })
