/**
 * Jobs of one lane never wait for those of another: each lane has workers and connections of its own. Times are in
 * milliseconds.
 */
export const lanes = {
  /** Work that somebody waits for: mail, hooks, counts. A job takes seconds. */
  short: { workers: 4, statementTimeout: 30_000, idleInTransaction: 30_000 },
  /** Work that may take hours: deletions, imports, moves, clean-ups. It goes in batches, each a short transaction. */
  long: { workers: 2, statementTimeout: 300_000, idleInTransaction: 60_000 },
} as const satisfies Record<string, LaneSettings>

export type Lane = keyof typeof lanes

export interface LaneSettings {
  /** Jobs at a time in a process. */
  readonly workers: number
  /** How long PostgreSQL lets a statement of such a job run. */
  readonly statementTimeout: number
  /** How long it lets a transaction of such a job do nothing. */
  readonly idleInTransaction: number
}

export const laneNames = Object.keys(lanes).filter((name): name is Lane => Object.hasOwn(lanes, name))
