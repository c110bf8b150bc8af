/** Lifetimes in seconds. */
export const lifetimes = {
  /** As the specification says. */
  accessToken: 7_200,
  /** RFC 6749 §4.1.2 recommends ten minutes at most. */
  code: 300,
  /** Since the last use: RFC 9700 §4.14.2 wants unused tokens to expire. */
  refreshToken: 180 * 86_400,
  /** RFC 8628 §3.2: enough time to find a browser and sign in. */
  deviceCode: 600,
} as const

/** Seconds between two polls of a device (RFC 8628 §3.2), and what is added each time it polls too soon (§3.5). */
export const POLL_INTERVAL = 5

/** The moment this many seconds after another. */
export function secondsAfter(moment: string, seconds: number): string {
  return new Date(Date.parse(moment) + seconds * 1_000).toISOString()
}

/** A moment in OAuth's format: whole seconds since 1970. */
export function epochSeconds(moment: string): number {
  return Math.floor(Date.parse(moment) / 1_000)
}
