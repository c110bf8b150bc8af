import { isCronPattern, isTimeZone, nextRun } from '#platform/cron.ts'
import { invalid } from '#platform/refusals.ts'

/** Milliseconds between two runs of a schedule at least, whatever its pattern. */
const LEAST = 5 * 60_000

/** @throws 400 that names what is no pattern of crontab or no time zone */
export function checkTimes(cron: string, timezone: string): void {
  const problems = {
    ...(!isCronPattern(cron) && { cron: ['is invalid syntax'] }),
    ...(!isTimeZone(timezone) && { cron_timezone: ['is invalid syntax'] }),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** When a schedule runs next; null for never. @param last when it ran, so that it does not run too often */
export function nextMoment(cron: string, timezone: string, now: string, last?: string): string | null {
  const after = Math.max(Date.parse(now), last === undefined ? 0 : Date.parse(last) + LEAST - 1)
  return nextRun(cron, timezone, new Date(after))?.toISOString() ?? null
}
