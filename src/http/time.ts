/**
 * A `timestamptz` as the database driver returns it (`2026-11-21 10:45:48.12+00`) in the form of the wire
 * (`2026-11-21T10:45:48.120Z`). Sessions speak UTC and ISO (db/pool.ts), columns keep milliseconds.
 */
export function iso(timestamp: string): string {
  const fraction = timestamp.slice(20, timestamp.indexOf('+', 19))
  return `${timestamp.slice(0, 10)}T${timestamp.slice(11, 19)}.${fraction.padEnd(3, '0')}Z`
}

/** The same for a column that may be null. */
export function isoOrNull(timestamp: string | null): string | null {
  return timestamp === null ? null : iso(timestamp)
}

/** The day, in UTC, that a moment falls on: `2026-11-21`. */
export function dayOf(moment: string | Date): string {
  return (typeof moment === 'string' ? moment : moment.toISOString()).slice(0, 10)
}
