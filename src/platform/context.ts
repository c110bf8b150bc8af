import { randomBytes } from 'node:crypto'

/** Time and randomness, so that tests and `--ephemeral` users can fix them. */
export interface Clock {
  /** The present moment. */
  now(): Date
}

export interface Randomness {
  /** This many unpredictable bytes. */
  bytes(count: number): Buffer
}

export const systemClock: Clock = { now: () => new Date() }
export const systemRandomness: Randomness = { bytes: (count) => takeBytes(count) }

/** Bytes are drawn in stocks of this many: asking for a few takes ten times as long as copying them. */
const STOCK = 4_096
let stock = Buffer.alloc(0)

function takeBytes(count: number): Buffer {
  if (count > STOCK) return randomBytes(count)
  if (count > stock.length) stock = randomBytes(STOCK)
  const taken = Buffer.from(stock.subarray(0, count))
  stock = stock.subarray(count)
  return taken
}

/** A random UUID (version 4, RFC 9562). */
export function randomUuid(random: Randomness): string {
  const bytes = random.bytes(16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Where the program logs what happened; pino's loggers fit. */
export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
