import type { SessionLimits } from '#platform/db/pool.ts'

/**
 * Jobs of one lane never wait for those of another: each lane has its own workers and connections. Times are in
 * milliseconds.
 */
export const lanes = {
  /** Work that people wait for: payloads, counts. A job takes seconds. */
  short: {
    workers: 4,
    plannedOnce: true,
    limits: { statement: 30_000, lock: 10_000, idleInTransaction: 30_000 },
  },
  /** Work that may take hours: deletions, moves, clean-ups. It runs in batches, each a short transaction. */
  long: { workers: 2, limits: { statement: 300_000, lock: 30_000, idleInTransaction: 60_000 } },
  /** Work that waits for other servers: imports. They may be as slow as they like, and only this waits for them. */
  outside: { workers: 3, limits: { statement: 300_000, lock: 30_000, idleInTransaction: 60_000 } },
  /** The mail server, which may be slow or down. One job hands several mails over at once. */
  mail: { workers: 1, limits: { statement: 30_000, lock: 10_000, idleInTransaction: 30_000 } },
  /** Short requests to other servers: webhooks. Most of the time they wait for answers, so a few connections do. */
  deliveries: {
    workers: 6,
    connections: 3,
    limits: { statement: 30_000, lock: 10_000, idleInTransaction: 30_000 },
  },
} satisfies Record<string, LaneSettings>

export type Lane = keyof typeof lanes

export interface LaneSettings {
  /** Simultaneous jobs in a process. */
  readonly workers: number
  /** The connections that they share; by default each has one. */
  readonly connections?: number
  /**
   * Whether there are as many connections again for statements that are planned once (platform/db/request-connections.ts), which is
   * worth it where jobs are frequent. Otherwise PostgreSQL decides on each connection, and plans large ones at every run.
   */
  readonly plannedOnce?: boolean
  /** The limits of these jobs' sessions. */
  readonly limits: SessionLimits
}

export const laneNames = Object.keys(lanes).filter((name): name is Lane => Object.hasOwn(lanes, name))
