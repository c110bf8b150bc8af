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
export const systemRandomness: Randomness = { bytes: (count) => randomBytes(count) }

/** Where the program logs what happened; pino's loggers fit. */
export interface Log {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}
