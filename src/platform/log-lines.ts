import { styleText } from 'node:util'

/** The names of pino's levels, as wide as the widest, and how a terminal shows them. */
const LEVELS: Readonly<Record<number, readonly [string, Parameters<typeof styleText>[0]]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info ', 'green'],
  40: ['warn ', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', ['bold', 'red']],
}

/** Characters that a terminal would obey. JSON escapes some of them, but not the controls above ASCII. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const WORD = /^[^\s"=\p{Cc}]+$/u

/**
 * Formats one of pino's JSON lines for people: the time, the level, the message, everything else as `name=value`, and
 * the stack of an error below.
 *
 * @param coloured whether the level has a colour.
 */
export function lineForPeople(json: string, coloured: boolean): string {
  const entry = read(json)
  if (entry === undefined) return json
  const { time, level, msg, pid: _, err, ...rest } = entry
  const [name, style] = LEVELS[Number(level)] ?? [String(level), 'reset']
  const details = Object.entries(rest).map(([key, value]) => ` ${safe(key)}=${formatted(value)}`)
  const problem = problemOf(err)
  return [
    `${timeOf(time)} ${coloured ? styleText(style, name, { validateStream: false }) : name}`,
    ` ${safe(typeof msg === 'string' ? msg : '')}`,
    ...details,
    ...problem.map((line) => `\n    ${safe(line)}`),
    '\n',
  ].join('')
}

function read(json: string): Record<string, unknown> | undefined {
  try {
    const entry: unknown = JSON.parse(json)
    return typeof entry === 'object' && entry !== null ? { ...entry } : undefined
  } catch {
    return undefined
  }
}

/** The local time of day: who looks at a terminal knows the day. */
function timeOf(time: unknown): string {
  const at = new Date(Number(time))
  const two = (number: number) => String(number).padStart(2, '0')
  const seconds = `${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
  return `${two(at.getHours())}:${two(at.getMinutes())}:${seconds}`
}

function formatted(value: unknown): string {
  if (typeof value === 'string') return WORD.test(value) ? safe(value) : safe(JSON.stringify(value))
  return safe(JSON.stringify(value))
}

/** What pino writes of an error: its stack, or else its message, and whatever it carries besides. */
function problemOf(err: unknown): string[] {
  if (err === undefined) return []
  if (typeof err !== 'object' || err === null) return [formatted(err)]
  const told: { readonly type?: unknown; readonly message?: unknown; readonly stack?: unknown } = err
  const { type: _, message = '', stack, ...rest } = told
  const text = typeof stack === 'string' ? stack : formatted(message)
  const details = Object.entries(rest).map(([key, value]) => `${key}=${formatted(value)}`)
  return [...text.split('\n'), ...(details.length > 0 ? [details.join(' ')] : [])]
}

const safe = (text: string): string =>
  text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
