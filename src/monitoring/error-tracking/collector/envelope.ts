import { asRecord, type Json } from './json.ts'
import { tooLarge, unreadable } from './refusal.ts'

/** The most items of an envelope. */
const MOST_ITEMS = 100
/** The most bytes of the head of an envelope or an item. */
export const MOST_HEAD = 16 * 1024
/** The most bytes of an event. */
export const MOST_EVENT = 1024 * 1024

export interface Envelope {
  readonly head: Json
  readonly items: readonly Item[]
}

export interface Item {
  readonly type: string
  readonly payload: Buffer
}

const NEWLINE = 10

/**
 * Takes an envelope apart: lines of JSON, each item with its payload behind its head.
 * @throws 400 when it is none, 413 for too many items.
 */
export function readEnvelope(bytes: Buffer): Envelope {
  let at = 0
  const line = (): Buffer => {
    const end = bytes.indexOf(NEWLINE, at)
    const text = bytes.subarray(at, end < 0 ? bytes.length : end)
    at = end < 0 ? bytes.length : end + 1
    return text
  }
  const head = readHead(line())
  const items: Item[] = []
  while (at < bytes.length) {
    if (isBlank(bytes[at])) {
      at += 1
      continue
    }
    const text = line()
    const { type, length } = readHead(text)
    let payload: Buffer
    if (typeof length === 'number') {
      if (!Number.isSafeInteger(length) || length < 0 || at + length > bytes.length)
        throw unreadable('an item of the envelope is shorter than its head says')
      payload = bytes.subarray(at, at + length)
      at += length
      if (at < bytes.length && bytes[at] !== NEWLINE)
        throw unreadable('an item of the envelope is longer than its head says')
      at += 1
    } else payload = line()
    if (items.length === MOST_ITEMS) throw tooLarge('the envelope')
    items.push({ type: typeof type === 'string' ? type : 'unknown', payload })
  }
  return { head, items }
}

const isBlank = (byte: number | undefined) => byte === NEWLINE || byte === 32 || byte === 13

/** Reads the line with which an envelope or an item begins. @throws 400 when it is none, 413 for a longer one */
export function readHead(text: Buffer): Json {
  if (text.length > MOST_HEAD) throw tooLarge('the head of the envelope')
  const head = asRecord(parse(text))
  if (head === undefined) throw unreadable('the head of the envelope is no object')
  return head
}

/** Reads an event. @throws 400 when it is none, 413 when it is too large */
export function readEvent(payload: Buffer): Json {
  if (payload.length > MOST_EVENT) throw tooLarge('the event')
  const event = asRecord(parse(payload))
  if (event === undefined) throw unreadable('the event is no object')
  return event
}

function parse(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  try {
    return JSON.parse(text)
  } catch {
    return parsePython(text)
  }
}

/** SDKs of Python wrote numbers that JSON does not have; they count as none. */
function parsePython(text: string): unknown {
  const mended = text.replace(/"(?:[^"\\]|\\[^])*(?:"|\\?$)|-?\b(?:NaN|Infinity)\b/g, (found) =>
    found.startsWith('"') ? found : 'null',
  )
  try {
    return JSON.parse(mended)
  } catch {
    throw unreadable('the JSON cannot be read')
  }
}
