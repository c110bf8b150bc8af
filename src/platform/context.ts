import { randomBytes } from 'node:crypto'

/** Time and randomness, so that tests and `--ephemeral` users can hold them still. */
export interface Clock {
  /** The present moment. */
  now(): Date
}

export interface Randomness {
  /** That many unpredictable bytes. */
  bytes(count: number): Buffer
}

export const systemClock: Clock = { now: () => new Date() }
export const systemRandomness: Randomness = { bytes: (count) => randomBytes(count) }

/** Where the program says what happened; pino's loggers are such. */
export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
