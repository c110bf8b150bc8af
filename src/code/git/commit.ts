/** Somebody who wrote or committed something, at a moment in their own time zone. */
export interface Signature {
  readonly name: string
  readonly email: string
  /** ISO 8601 with milliseconds and the offset of their zone, such as `2026-01-02T03:04:05.000+02:00`. */
  readonly at: string
  /** Seconds since 1970. */
  readonly time: number
}

export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: Signature
  readonly committer: Signature
  /** The message, or its beginning: see {@link isCut}. */
  readonly message: string
  /** Whether the message is longer than what was read of it. */
  readonly isCut: boolean
  /** The first line of the message. */
  readonly title: string
  /** The signature of the commit, as its header has it. */
  readonly signature: string | undefined
  /** What is signed: the commit without its signature. Undefined without a signature. */
  readonly signed: Buffer | undefined
}

/** The headers of a commit or tag, and where its message begins. */
export interface Headers {
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly message: Buffer
}

const SIGNATURES = ['gpgsig', 'gpgsig-sha256'] as const

/** How much of an object was read, and how much of its message is wanted. */
export interface Extent {
  /** Whether there is more of it. */
  readonly isCut: boolean
  /** Bytes of its message that are wanted. */
  readonly share: number
}

export const WHOLE: Extent = { isCut: false, share: Infinity }

/** Reads a commit object. Whatever a client has pushed must be readable, so nothing here throws. */
export function parseCommit(id: string, content: Buffer, { isCut, share }: Extent = WHOLE): Commit {
  const { values, message } = readHeaders(content)
  const text = decode(beginningOf(message, share), values.get('encoding')?.[0])
  const signature = isCut
    ? undefined
    : SIGNATURES.map((name) => values.get(name)?.[0]).find((value) => value !== undefined)
  return {
    id,
    tree: values.get('tree')?.[0] ?? '',
    parents: values.get('parent') ?? [],
    author: parseSignature(values.get('author')?.[0] ?? ''),
    committer: parseSignature(values.get('committer')?.[0] ?? ''),
    message: text,
    isCut: isCut || message.length > share,
    title: commitTitleOf(text),
    signature,
    signed: signature === undefined ? undefined : withoutSignature(content),
  }
}

/** The first bytes of a text, without a part of a character at its end. */
export function beginningOf(text: Buffer, most: number): Buffer {
  if (text.length <= most) return text
  let end = most
  while (end > 0 && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return text.subarray(0, end)
}

/** The first line of a message. */
export const commitTitleOf = (message: string): string =>
  message.trimStart().split(/\r?\n/, 1)[0]?.trimEnd() ?? ''

/** Reads `name value` lines up to the first blank one. Lines that begin with a blank continue the one before. */
export function readHeaders(content: Buffer): Headers {
  const end = content.indexOf('\n\n')
  const head = content.toString('utf8', 0, end < 0 ? content.length : end)
  const values = new Map<string, string[]>()
  let last: string[] | undefined
  for (const line of head.split('\n')) {
    if (line.startsWith(' ')) {
      if (last !== undefined) last.push(`${last.pop() ?? ''}\n${line.slice(1)}`)
      continue
    }
    const at = line.indexOf(' ')
    const name = at < 0 ? line : line.slice(0, at)
    last = values.get(name) ?? []
    last.push(at < 0 ? '' : line.slice(at + 1))
    values.set(name, last)
  }
  return { values, message: end < 0 ? Buffer.alloc(0) : content.subarray(end + 2) }
}

/** Reads `Name <email> seconds zone`. */
export function parseSignature(text: string): Signature {
  const match = /^(.*?)\s*<([^>]*)>\s*(-?\d+)?\s*([+-]\d{4})?/s.exec(text)
  const [, name = text, email = '', seconds = '0', zone = '+0000'] = match ?? []
  const time = Number(seconds)
  return { name, email, time, at: momentIn(time, zone) }
}

/** The furthest moment that JavaScript knows, in seconds. */
const FURTHEST = 8_640_000_000_000

/** A moment as clients expect it: with the time of the zone, and its offset. */
export function momentIn(seconds: number, zone: string): string {
  const time = Math.abs(seconds) <= FURTHEST ? seconds : 0
  const sign = zone.startsWith('-') ? -1 : 1
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3, 5))
  // Some programs have written zones that do not exist.
  const offset = hours <= 14 && minutes <= 59 ? sign * (hours * 60 + minutes) : 0
  const shown = offset === 0 ? '+00:00' : `${zone.slice(0, 3)}:${zone.slice(3, 5)}`
  const there = new Date((time + offset * 60) * 1000)
  if (Number.isNaN(there.getTime())) return '1970-01-01T00:00:00.000+00:00'
  return there.toISOString().replace('Z', shown)
}

/** Text in the encoding that a commit names, by default UTF-8, with a replacement for what is unreadable. */
function decode(bytes: Buffer, encoding = 'utf-8'): string {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes).replaceAll('\0', '')
  } catch {
    return bytes.toString('utf8').replaceAll('\0', '')
  }
}

function withoutSignature(content: Buffer): Buffer {
  const end = content.indexOf('\n\n')
  const kept: string[] = []
  let inside = false
  for (const line of content.toString('latin1', 0, end < 0 ? content.length : end).split('\n')) {
    inside = line.startsWith(' ') ? inside : SIGNATURES.some((name) => line.startsWith(`${name} `))
    if (!inside) kept.push(line)
  }
  return Buffer.concat([
    Buffer.from(kept.join('\n'), 'latin1'),
    content.subarray(end < 0 ? content.length : end),
  ])
}
