import type { FastifyRequest } from 'fastify'
import type { SettingName } from '#platform/settings/definitions.ts'
import type { Log } from '#platform/context.ts'
import { assertOutsideTransaction } from '#platform/db/open-transaction.ts'
import { type PeriodCount, type Counters, MemoryCounters } from './counters.ts'
import { tooManyRequests } from '#platform/refusals.ts'
import { SharedCounters } from './shared-counters.ts'

/** This many within this time. */
export interface Allowance {
  readonly points: number
  readonly seconds: number
}

/**
 * Limits how often people may do something. Counts are per action and per person. A period begins with its first
 * count. It is real time, even where a test fixes the clock.
 */
export interface Limits {
  /** Counts one more. @throws 429 past the allowance */
  take(name: string, key: number | string, allowance: Allowance): Promise<void>
  /** Counts one more and leaves the answer to the caller, who reports refusals by {@link noteRefusal}. */
  count(name: string, key: number | string, seconds: number): Promise<PeriodCount>
  /** Reports that the limit of that name refused a request. */
  noteRefusal(name: string): void
  /** What is wrong with counting together with other processes; undefined when nothing is. */
  problem(): Promise<string | undefined>
  /** Forgets all counts, as after a reset of everything. Counts shared with other processes stay. */
  forget(): Promise<void>
  close(): Promise<void>
}

export interface LimitsOptions {
  /** The Valkey or Redis in which processes count together; undefined means each counts for itself. */
  readonly redisUrl: string | undefined
  readonly log: Pick<Log, 'warn' | 'info'>
  readonly onRefusal: (name: string) => void
}

export function openLimits({ redisUrl, log, onRefusal }: LimitsOptions): Limits {
  const counters: Counters = redisUrl === undefined ? new MemoryCounters() : new SharedCounters(redisUrl, log)
  return {
    async take(name, key, { points, seconds }) {
      assertOutsideTransaction('A limit')
      const counted = await counters.add(name, key, seconds)
      if (counted.times <= points) return
      onRefusal(name)
      throw tooManyRequests(counted.seconds)
    },
    count: (name, key, seconds) => counters.add(name, key, seconds),
    noteRefusal: onRefusal,
    problem: () => counters.problem(),
    forget: () => counters.forget(),
    close: () => counters.close(),
  }
}

const MINUTE = 60

/**
 * Counts an action of a user against the setting that limits it per minute; 0 means no limit.
 * @throws 429
 */
export async function takeFromMinute(
  request: Pick<FastifyRequest, 'server' | 'user'>,
  setting: Extract<SettingName, `${string}_create_limit` | 'search_rate_limit'>,
): Promise<void> {
  const { limits, settings } = request.server.services
  const points = settings()[setting]
  if (points > 0) await limits.take(setting, request.user().id, { points, seconds: MINUTE })
}
