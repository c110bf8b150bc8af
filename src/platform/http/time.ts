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

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?([.,]\d{1,9})?)?\s?(Z|z|[+-]\d{2}(?::?\d{2})?)?$/

/** Reads a date parameter, `YYYY-MM-DD` (a time after it is dropped); undefined when it is no date. */
export function readDay(given: string): string | undefined {
  const day = given.trim().slice(0, 10)
  const rest = given.trim().slice(10)
  if (!DAY.test(day) || (rest !== '' && readMoment(given) === undefined)) return undefined
  return isRealDay(day) ? day : undefined
}

/**
 * Reads a datetime parameter: a date alone, with `Z`, or with an offset. Returns UTC with milliseconds; undefined
 * when it is no datetime.
 */
export function readMoment(given: string): string | undefined {
  const [, day, minutes = '00:00', seconds = ':00', fraction = '', zone = 'Z'] =
    MOMENT.exec(given.trim()) ?? []
  if (day === undefined || !isRealDay(day)) return undefined
  const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const milliseconds = fraction === '' ? '' : `.${fraction.slice(1, 4).padEnd(3, '0')}`
  const time = Date.parse(`${day}T${minutes}${seconds}${milliseconds}${offset.toUpperCase()}`)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Refuses days such as February 30. PostgreSQL ends where years have five digits. */
function isRealDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && !day.startsWith('0000')
}
