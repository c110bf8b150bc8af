import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The token that proves that a page of this instance made a request. It is derived from the session's secret, which
 * no other site can read, so it need not be stored.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('csrf').digest('base64url')
}

/** Compares in constant time. */
export function isCsrfToken(given: unknown, sessionSecret: string): boolean {
  if (typeof given !== 'string') return false
  const [known, asked] = [Buffer.from(csrfTokenOf(sessionSecret)), Buffer.from(given)]
  return known.length === asked.length && timingSafeEqual(known, asked)
}
