import { Cron, CronPattern } from 'croner'

/** Whether a text is a pattern of crontab with five fields, or a word such as `@daily`. */
export const isCronPattern = (given: string): boolean =>
  succeeds(() => new CronPattern(given.trim(), undefined, { mode: '5-part' }))

/** Whether a text names a time zone, as `Europe/Berlin`. */
export const isTimeZone = (given: string): boolean =>
  succeeds(() => new Intl.DateTimeFormat('en', { timeZone: given }))

/**
 * The first moment after another one that a pattern means in a time zone. A time that summer time skips is moved to the next one that
 * there is, and one that comes twice counts once.
 * @returns undefined where there is none any more
 */
export function nextRun(pattern: string, timezone: string, after: Date): Date | undefined {
  return new Cron(pattern.trim(), { timezone, mode: '5-part', paused: true }).nextRun(after) ?? undefined
}

/** Both libraries say no by throwing. */
function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
