const MINUTE = 60
const HOUR = 60 * MINUTE
/** Working time: a day has 8 hours, a week 5 days, a month 4 weeks. */
const DAY = 8 * HOUR
const WEEK = 5 * DAY
const MONTH = 4 * WEEK

/** The units of durations, longest first. */
export const durationUnits = [
  ['mo', MONTH],
  ['w', WEEK],
  ['d', DAY],
  ['h', HOUR],
  ['m', MINUTE],
  ['s', 1],
] as const

/** A duration in words: 12600 seconds are `3h 30m`; null for none. */
export function humanTimeOrNull(seconds: number): string | null {
  return seconds === 0 ? null : humanTime(seconds)
}

export function humanTime(seconds: number): string {
  let rest = Math.abs(seconds)
  const parts: string[] = []
  for (const [name, size] of durationUnits) {
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${name}`)
    rest -= count * size
  }
  return `${seconds < 0 ? '-' : ''}${parts.join(' ') || '0m'}`
}
