import { iso } from '#platform/http/time.ts'

// After some failures in a row a hook rests for a while, which grows, and after many it is disabled until somebody sends
// a test that succeeds.

/** Failures in a row after which a hook rests. */
const RESTS_AFTER = 4
/** Failures in a row after which it is disabled. */
export const DISABLED_AFTER = 40
/** The longest rest, in milliseconds. */
const MAX_REST_MS = 24 * 60 * 60_000

export const alertStatuses = ['executable', 'temporarily_disabled', 'disabled'] as const

export interface Failing {
  readonly failures: number
  readonly paused_until: string | null
}

/** How a hook with this many failures in a row is, as the API shows it. */
export function alertStatusOf({ failures, paused_until }: Failing, now: Date) {
  if (failures >= DISABLED_AFTER) return { alert_status: 'disabled', disabled_until: null } as const
  const rests =
    failures >= RESTS_AFTER && paused_until !== null && Date.parse(iso(paused_until)) > now.getTime()
  return rests
    ? ({ alert_status: 'temporarily_disabled', disabled_until: iso(paused_until) } as const)
    : ({ alert_status: 'executable', disabled_until: null } as const)
}

/**
 * Milliseconds until the next try after this many failures in a row: seconds at first, so that a receiver that was
 * restarted misses nothing, and from the fourth on one minute, two, four, … up to a day.
 */
export function pauseAfter(failures: number): number {
  if (failures < RESTS_AFTER) return 1000 * 2 ** failures
  return Math.min(60_000 * 2 ** (failures - RESTS_AFTER), MAX_REST_MS)
}
