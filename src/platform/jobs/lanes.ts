import type { SessionLimits } from '#platform/db/pool.ts'

/**
 * Jobs of one lane never wait for those of another: each lane has workers and connections of its own. Times are in
 * milliseconds.
 */
export const lanes = {
  /** Work that somebody waits for: mail, hooks, counts. A job takes seconds. */
  short: { workers: 4, limits: { statement: 30_000, lock: 10_000, idleInTransaction: 30_000 } },
  /** Work that may take hours: deletions, imports, moves, clean-ups. It goes in batches, each a short transaction. */
  long: { workers: 2, limits: { statement: 300_000, lock: 30_000, idleInTransaction: 60_000 } },
} as const satisfies Record<string, LaneSettings>

export type Lane = keyof typeof lanes

export interface LaneSettings {
  /** Jobs at a time in a process. */
  readonly workers: number
  /** Of the sessions that such jobs work with. */
  readonly limits: SessionLimits
}

export const laneNames = Object.keys(lanes).filter((name): name is Lane => Object.hasOwn(lanes, name))
