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

/** Where the program logs what happened; pino's loggers fit. */
export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
