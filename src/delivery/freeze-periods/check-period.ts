import { isCronPattern, isTimeZone } from '#platform/cron.ts'
import { invalid } from '#platform/refusals.ts'

export interface Period {
  readonly freeze_start: string
  readonly freeze_end: string
  readonly cron_timezone: string
}

/** @throws 400 that names what is no pattern of crontab or no time zone */
export function checkPeriod(period: Period): void {
  const problems = [
    ...(['freeze_start', 'freeze_end'] as const).filter((name) => !isCronPattern(period[name])),
    ...(isTimeZone(period.cron_timezone) ? [] : ['cron_timezone']),
  ]
  if (problems.length > 0)
    throw invalid(Object.fromEntries(problems.map((name) => [name, ['is invalid syntax']])))
}
