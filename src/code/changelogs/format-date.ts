/** The parts of a date that `strftime` knows. Months and days have their English names. */
const parts: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => padded(date.getUTCFullYear() % 100),
  m: (date) => padded(date.getUTCMonth() + 1),
  d: (date) => padded(date.getUTCDate()),
  e: (date) => padded(date.getUTCDate(), 2, ' '),
  j: (date) => padded(dayOfYear(date), 3),
  B: (date) => named(date, { month: 'long' }),
  b: (date) => named(date, { month: 'short' }),
  h: (date) => named(date, { month: 'short' }),
  A: (date) => named(date, { weekday: 'long' }),
  a: (date) => named(date, { weekday: 'short' }),
  u: (date) => String(date.getUTCDay() || 7),
  w: (date) => String(date.getUTCDay()),
  H: (date) => padded(date.getUTCHours()),
  I: (date) => padded(date.getUTCHours() % 12 || 12),
  M: (date) => padded(date.getUTCMinutes()),
  S: (date) => padded(date.getUTCSeconds()),
  p: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  Z: () => 'UTC',
  z: () => '+0000',
  F: (date) => formatDate(date, '%Y-%m-%d'),
  D: (date) => formatDate(date, '%m/%d/%y'),
  T: (date) => formatDate(date, '%H:%M:%S'),
  R: (date) => formatDate(date, '%H:%M'),
  n: () => ' ',
  t: () => '\t',
  '%': () => '%',
}

const padded = (number: number, width = 2, fill = '0'): string => String(number).padStart(width, fill)
const named = (date: Date, options: Intl.DateTimeFormatOptions): string =>
  date.toLocaleDateString('en-GB', { ...options, timeZone: 'UTC' })
const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1

/** Writes a moment in UTC as `strftime` does; `-` takes the padding off, `^` makes capitals. What it does not know stays as it is. */
export function formatDate(date: Date, format: string): string {
  return format.replace(/%([-^]?)([a-zA-Z%])/g, (whole, flag: string, name: string) => {
    const text = Object.hasOwn(parts, name) ? parts[name]?.(date) : undefined
    if (text === undefined) return whole
    if (flag === '^') return text.toUpperCase()
    return flag === '-' ? text.replace(/^[0 ]+(?=\d)/, '') : text
  })
}
