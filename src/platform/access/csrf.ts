import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The token that proves that a request was made by a page of this instance: it follows from the session's secret,
 * which no other site can read, and so is kept nowhere.
 */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('csrf').digest('base64url')
}

/** Compared in constant time. */
export function isCsrfToken(given: unknown, sessionSecret: string): boolean {
  if (typeof given !== 'string') return false
  const [known, asked] = [Buffer.from(csrfTokenOf(sessionSecret)), Buffer.from(given)]
  return known.length === asked.length && timingSafeEqual(known, asked)
}
