import { badRequest, refusal, unprocessable } from '#platform/refusals.ts'
import { readGeneric, type Switches } from './generic.ts'
import type { MappingReader } from './mapping.ts'
import { isMetrics, readElement } from './metrics.ts'
import { isObject, type Json, type PayloadKind, type Report } from './report.ts'

/** The deepest nesting that is read: more would not fit the stack of whoever reads it next. */
const DEEPEST = 100
/** Alerts in one payload. A sender with more is asked to send fewer at once. */
const MAX_ALERTS = 2_000

/** What decides how a payload is read. */
export interface ReadingOptions extends Switches {
  readonly reading: MappingReader
  /** Refuses payloads that are of another format than this. */
  readonly only: PayloadKind | undefined
  /** ISO 8601. */
  readonly now: string
}

/**
 * Reads what a monitoring tool has sent. Its format follows from its content.
 * @throws 400 for what is no JSON object; 422 when the metrics format is asked for and not there, and when an element
 * lacks its title or its start. Then nothing of the payload counts.
 */
export function readPayload(
  body: Buffer | string,
  { reading, only, now, ...switches }: ReadingOptions,
): Report[] {
  const payload = readObject(body)
  if (!isMetrics(payload)) {
    if (only === 'prometheus')
      throw unprocessable('422 Unprocessable Entity - the payload is not of the metrics format')
    return [readGeneric(payload, reading, switches)]
  }
  const { alerts } = payload
  if (alerts.length > MAX_ALERTS)
    throw unprocessable(`422 Unprocessable Entity - more than ${MAX_ALERTS} alerts`)
  return alerts.map((element, index) => {
    const report = readElement(element, reading, now)
    if (typeof report === 'string')
      throw unprocessable(`422 Unprocessable Entity - alerts[${index}] ${report}`)
    return report
  })
}

/**
 * Reads a JSON object.
 * @throws 400 for anything else
 */
export function readObject(body: Buffer | string): Json {
  const text = typeof body === 'string' ? body : body.toString('utf8')
  if (isTooDeep(text)) throw refusal('400 Bad request - the JSON is nested too deeply')
  let payload: unknown
  try {
    payload = JSON.parse(text.startsWith('\u{feff}') ? text.slice(1) : text)
  } catch {
    throw badRequest('the body is not JSON')
  }
  const storable = UNSTORABLE.test(text) ? cleaned(payload) : payload
  if (!isObject(storable)) throw refusal('400 Bad request - the JSON is not an object')
  return storable
}

/** Escapes for characters that PostgreSQL does not hold: NUL, and halves of pairs. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i

/** The same value with a replacement for such characters. */
function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\u{fffd}')
  if (Array.isArray(value)) return value.map(cleaned)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [cleaned(key), cleaned(part)]))
}

/** Counts brackets. Those inside of strings are skipped. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charCodeAt(at)
    if (inString) {
      if (sign === 0x5c) at += 1
      else if (sign === 0x22) inString = false
    } else if (sign === 0x22) inString = true
    else if (sign === 0x5b || sign === 0x7b) {
      depth += 1
      if (depth > DEEPEST) return true
    } else if (sign === 0x5d || sign === 0x7d) depth -= 1
  }
  return false
}
