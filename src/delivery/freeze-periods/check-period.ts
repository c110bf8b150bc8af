import { CronPattern } from 'croner'
import { invalid } from '#platform/refusals.ts'

export interface Period {
  readonly freeze_start: string
  readonly freeze_end: string
  readonly cron_timezone: string
}

/** @throws 400 that names what is no pattern of crontab or no time zone */
export function checkPeriod(period: Period): void {
  const problems = [
    ...(['freeze_start', 'freeze_end'] as const).filter((name) => !isPattern(period[name])),
    ...(isTimeZone(period.cron_timezone) ? [] : ['cron_timezone']),
  ]
  if (problems.length > 0)
    throw invalid(Object.fromEntries(problems.map((name) => [name, ['is invalid syntax']])))
}

function isPattern(given: string): boolean {
  return succeeds(() => new CronPattern(given.trim(), undefined, { mode: '5-part' }))
}

function isTimeZone(given: string): boolean {
  return succeeds(() => new Intl.DateTimeFormat('en', { timeZone: given }))
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
