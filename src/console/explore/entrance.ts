import type { FastifyRequest } from 'fastify'
import { SIGN_IN } from '#platform/http/browser-sessions.ts'

/**
 * Where the start page redirects strangers: to the home page that the administrators chose, unless that is this page, or to the
 * sign-in page.
 */
export function entranceFor(req: FastifyRequest): string {
  const { home_page_url: home } = req.server.services.settings()
  const url = home === null ? null : URL.parse(home)
  if (url === null || !/^https?:$/.test(url.protocol)) return SIGN_IN
  const isHere = url.pathname === '/' && [req.host, new URL(req.site).host].includes(url.host)
  return isHere ? SIGN_IN : url.href
}
