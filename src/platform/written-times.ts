// Times as programs write them: no two languages do it alike. Nothing is guessed: what could mean two moments is not read.

const CLOCK = String.raw`(?<hour>\d{1,2}):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d{1,12}))?)?(?: ?(?<half>[AaPp]\.?[Mm]\.?))?`
/** `Z`, `UTC`, `+02:00`, `GMT+0200 (Central European Summer Time)`, and after an offset the name that Go and Java repeat. */
const ZONE = String.raw`(?: *(?<zone>Z|[A-Za-z]{1,5}(?![A-Za-z])|(?:(?:UTC|GMT)? *[+-]\d\d(?::?\d\d(?::?\d\d)?)?)))?(?: +[A-Z]{2,5}| +[+-]\d\d(?:\d\d)?| *\([^()]{1,60}\)| *\[[\w/+:-]{1,60}\])?(?: m=[+-][\d.]{1,30})?`
const WEEKDAY = String.raw`(?:[A-Za-z]{3,9},? +)?`
const MONTH = String.raw`(?<name>[A-Za-z]{3,9})\.?`

/** From the form of ISO 8601, with a space or `T`, to those of C, Java, JavaScript and e-mail. */
const FORMS: readonly RegExp[] = [
  String.raw`(?<year>\d{4})(?<sign>[-/.]?)(?<month>\d\d)\k<sign>(?<day>\d\d)(?:(?:[Tt]| {1,4})${CLOCK}${ZONE})?`,
  // Without anything between: 20200101000000.
  String.raw`(?<year>(?:19|20)\d\d)(?<month>\d\d)(?<day>\d\d)(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)`,
  String.raw`${WEEKDAY}(?<day>\d{1,2})[ /-]${MONTH}[ /-](?<year>\d{4}|\d\d)(?:[: ] {0,3}${CLOCK}${ZONE})?`,
  String.raw`${WEEKDAY}${MONTH} {1,3}(?<day>\d{1,2}) {1,3}${CLOCK}${ZONE} {1,3}(?<year>\d{4})`,
  String.raw`${WEEKDAY}${MONTH} {1,3}(?<day>\d{1,2}),? {1,3}(?<year>\d{4})(?:,? {1,3}(?:at )?${CLOCK}${ZONE})?`,
].map((form) => new RegExp(`^${form}$`))

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Hours from UTC of the zones that have one meaning, as RFC 5322 and the database of time zones name them. */
const ZONES: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  UCT: 0,
  UT: 0,
  GMT: 0,
  WET: 0,
  WEST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
  KST: 9,
  EST: -5,
  EDT: -4,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
}

const MAX_WRITTEN_TIME = 120

/**
 * The moment that a program has written, in milliseconds since 1970: in UTC unless it says otherwise.
 * @returns undefined for what is no moment, or could be two
 */
export function readWrittenTime(text: string): number | undefined {
  if (text.length > MAX_WRITTEN_TIME) return undefined
  const written = text.trim()
  for (const form of FORMS) {
    const { groups } = form.exec(written) ?? {}
    if (groups !== undefined) return momentIn(groups)
  }
  return undefined
}

type Parts = Readonly<Record<string, string | undefined>>

function momentIn({ year = '', month, name, day, minute, second, fraction = '', zone, ...rest }: Parts) {
  const hour = hourIn(rest)
  const offset = offsetIn(zone)
  const monthIndex = name === undefined ? Number(month) - 1 : MONTHS.indexOf(name.slice(0, 3).toLowerCase())
  if (hour === undefined || offset === undefined || !isMonth(name)) return undefined
  if (Number(minute ?? 0) > 59 || Number(second ?? 0) > 60) return undefined
  // A year of two digits is of this century or the last, as RFC 5322 says.
  const fullYear = year.length === 2 ? Number(year) + (Number(year) < 50 ? 2000 : 1900) : Number(year)
  const date = new Date(0)
  date.setUTCFullYear(fullYear, monthIndex, Number(day))
  if (date.getUTCMonth() !== monthIndex || date.getUTCDate() !== Number(day)) return undefined
  const clock = (hour * 60 + Number(minute ?? 0)) * 60_000 + Number(second ?? 0) * 1000
  return date.getTime() + clock + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset
}

/** Whether letters are the name of a month or its beginning, in English. */
function isMonth(name: string | undefined): boolean {
  if (name === undefined) return true
  const written = name.toLowerCase()
  return LONG_MONTHS.some((month) => month === written || month.slice(0, 3) === written) || written === 'sept'
}

const LONG_MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

function hourIn({ hour, half }: Parts): number | undefined {
  const written = Number(hour ?? 0)
  if (half === undefined) return written > 23 ? undefined : written
  if (written < 1 || written > 12) return undefined
  return (written % 12) + (/^p/i.test(half) ? 12 : 0)
}

/** Milliseconds from UTC. */
function offsetIn(zone: string | undefined): number | undefined {
  if (zone === undefined) return 0
  const [, sign, hours = '', minutes = '0', seconds = '0'] =
    /([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?$/.exec(zone) ?? []
  if (sign === undefined) {
    const known = ZONES[zone.toUpperCase()]
    return known === undefined ? undefined : known * 3_600_000
  }
  if (Number(hours) > 18 || Number(minutes) > 59 || Number(seconds) > 59) return undefined
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
