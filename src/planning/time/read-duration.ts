import { durationUnits } from './human-time.ts'

/** The names of the units in text. */
const unitNames: Readonly<Record<(typeof durationUnits)[number][0], readonly string[]>> = {
  mo: ['mo', 'mos', 'month', 'months'],
  w: ['w', 'wk', 'wks', 'week', 'weeks'],
  d: ['d', 'day', 'days'],
  h: ['h', 'hr', 'hrs', 'hour', 'hours'],
  m: ['m', 'min', 'mins', 'minute', 'minutes'],
  s: ['s', 'sec', 'secs', 'second', 'seconds'],
}

const sizes = new Map(durationUnits.flatMap(([unit, size]) => unitNames[unit].map((name) => [name, size])))

const NUMBER = String.raw`\d{1,12}(?:\.\d{1,6})?`
const ALONE = new RegExp(`^${NUMBER}$`)
const PART = new RegExp(String.raw`(${NUMBER})\s*([a-z]+)[\s,]*`, 'y')

/**
 * Reads a duration as seconds: `3h30m`, `1w 2d`, `1.5 hours`, `-30m`. A number alone counts hours. It is the inverse of
 * humanTime, with its days of 8 hours.
 * @returns undefined for a text that is not a duration, otherwise a safe integer.
 */
export function readDuration(text: string): number | undefined {
  const given = text.trim().toLowerCase()
  const taken = given.startsWith('-')
  const seconds = addUp(taken ? given.slice(1).trim() : given)
  if (seconds === undefined || !Number.isSafeInteger(seconds)) return undefined
  return taken && seconds > 0 ? -seconds : seconds
}

function addUp(text: string): number | undefined {
  if (ALONE.test(text)) return addUp(`${text}h`)
  let sum = 0
  PART.lastIndex = 0
  do {
    const [, count, unit = ''] = PART.exec(text) ?? []
    const size = sizes.get(unit)
    if (count === undefined || size === undefined) return undefined
    sum += Number(count) * size
  } while (PART.lastIndex < text.length)
  return Math.round(sum)
}
