import { readDay } from '#platform/http/time.ts'
import { type CommandOptions, UsageError } from './command.ts'

/**
 * A day that an option names; undefined when the option is not given.
 * @throws {UsageError} when the value is not a day.
 */
export function readDayOption(given: CommandOptions, option: string): string | undefined {
  const text = given.maybe(option)
  if (text === undefined || (/^\d{4}-\d\d-\d\d$/.test(text) && readDay(text) !== undefined)) return text
  throw new UsageError(`--${option} "${text}" is no day: write it as YYYY-MM-DD`)
}

/**
 * The same for a day that must not have begun.
 * @param today in UTC
 */
export function dayAhead(given: CommandOptions, option: string, today: string): string | undefined {
  const day = readDayOption(given, option)
  if (day !== undefined && day <= today) throw new UsageError(`--${option} ${day} is not in the future`)
  return day
}
