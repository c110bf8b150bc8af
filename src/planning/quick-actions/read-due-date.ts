import { daysAfter, readDay } from '#platform/http/time.ts'

const AHEAD = /^in (\d{1,4}) (day|week|month)s?$/

/**
 * Reads a day: `2026-12-01`, `today`, `tomorrow`, `in 3 days`, `in 2 weeks`, `in 1 month`; undefined for any other
 * text.
 */
export function readDueDate(written: string, today: string): string | undefined {
  const words = written.trim().toLowerCase().replace(/\s+/g, ' ')
  if (words === 'today') return today
  if (words === 'tomorrow') return daysAfter(today, 1)
  const [, digits, unit] = AHEAD.exec(words) ?? []
  if (digits === undefined) return /^\d{4}-\d{2}-\d{2}$/.test(words) ? readDay(words) : undefined
  const count = Number(digits)
  if (unit === 'month') return monthsAfter(today, count)
  return daysAfter(today, unit === 'week' ? 7 * count : count)
}

/** The same day of the month, or the last one where months are shorter. */
function monthsAfter(day: string, count: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const lastOfMonth = new Date(Date.UTC(year, month + count, 0))
  lastOfMonth.setUTCDate(Math.min(date, lastOfMonth.getUTCDate()))
  return lastOfMonth.toISOString().slice(0, 10)
}
