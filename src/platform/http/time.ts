import { flat } from './flat.ts'

const T = 'T'.charCodeAt(0)
const Z = 'Z'.charCodeAt(0)

/**
 * Converts a `timestamptz` from the database driver (`2026-11-21 10:45:48.12+00`) to the form of the API
 * (`2026-11-21T10:45:48.120Z`). Sessions use UTC and ISO (platform/db/pool.ts); columns keep milliseconds.
 */
export function iso(timestamp: string): string {
  // Usually all three digits of the milliseconds are there. Lists show several times in each row: made of characters,
  // a text is one piece (flat.ts) in a third of the time.
  if (timestamp.length === 26) {
    const at = (index: number) => timestamp.charCodeAt(index)
    // oxfmt-ignore
    return String.fromCharCode(
      at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), T, at(11), at(12),
      at(13), at(14), at(15), at(16), at(17), at(18), at(19), at(20), at(21), at(22), Z,
    )
  }
  const fraction = timestamp.slice(20, timestamp.indexOf('+', 19))
  return flat`${timestamp.slice(0, 10)}T${timestamp.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

/** The same for a column that may be null. */
export function isoOrNull(timestamp: string | null): string | null {
  return timestamp === null ? null : iso(timestamp)
}

const MILLISECONDS_OF_DAY = 86_400_000
/** The day that was asked for last: nearly always that of the next request, too. */
let latest = { number: Number.NaN, day: '' }

/** The day of a moment, in UTC: `2026-11-21`. */
export function dayOf(moment: string | Date): string {
  if (typeof moment === 'string') return moment.slice(0, 10)
  const number = Math.floor(moment.getTime() / MILLISECONDS_OF_DAY)
  if (number !== latest.number) latest = { number, day: moment.toISOString().slice(0, 10) }
  return latest.day
}

/** The day this many days after another. */
export function daysAfter(day: string, count: number): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + count * MILLISECONDS_OF_DAY))
}

/**
 * The forms of ISO 8601 with and without separators (`20260131T120000Z`), and those that programs print:
 * `2026-01-31 12:00:00 UTC`, `2026-01-31 12:00:00 +0100`.
 */
const MOMENT =
  /^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i

/** Reads a date parameter, `YYYY-MM-DD` (a time after it is dropped); undefined when it is no date. */
export function readDay(given: string): string | undefined {
  const [, year, , month, day] = MOMENT.exec(given.trim()) ?? []
  return readMoment(given) === undefined ? undefined : `${year}-${month}-${day}`
}

/**
 * Reads a datetime parameter: a date alone, in UTC unless it says otherwise, or with an offset. Returns UTC with
 * milliseconds; undefined when it is no datetime.
 */
export function readMoment(given: string): string | undefined {
  const found = MOMENT.exec(given.trim())
  if (found === null) return undefined
  const [, year, , month, date, hours = '00', , minutes = '00', seconds = '00', fraction = '', zone = 'Z'] =
    found
  const day = `${year}-${month}-${date}`
  if (!isRealDay(day)) return undefined
  const [, hoursEast, minutesEast = '00'] = /^([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? []
  const offset = hoursEast === undefined ? 'Z' : `${hoursEast}:${minutesEast}`
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const time = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${milliseconds}${offset}`)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Refuses days such as February 30. PostgreSQL ends where years have five digits. */
function isRealDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && !day.startsWith('0000')
}
