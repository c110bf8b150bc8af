import type { FastifyRequest } from 'fastify'
import type { Log } from '#platform/context.ts'
import { assertOutsideTransaction } from '#platform/db/open-transaction.ts'
import { type Counted, type Counters, MemoryCounters } from './counters.ts'
import { tooManyRequests } from './errors.ts'
import { SharedCounters } from './shared-counters.ts'

/** That many within that time. */
export interface Allowance {
  readonly points: number
  readonly seconds: number
}

/**
 * What people do so often that it is limited, counted by what they do and who they are. A time begins with the first
 * that is counted in it. It is real time, also where a test holds the clock.
 */
export interface Limits {
  /** Counts one more. @throws 429 past the allowance */
  take(name: string, key: number | string, allowance: Allowance): Promise<void>
  /** Counts one more and leaves the answer to the caller, who tells of refusals by {@link noteRefusal}. */
  count(name: string, key: number | string, seconds: number): Promise<Counted>
  /** Somebody was refused by the limit of that name. */
  noteRefusal(name: string): void
  /** What is wrong with counting together with other processes; undefined when nothing is. */
  problem(): Promise<string | undefined>
  /** Starts from nothing, as after a reset of everything; what processes share stays. */
  forget(): Promise<void>
  close(): Promise<void>
}

export interface LimitsOptions {
  /** Of the Valkey or Redis that processes count in together; undefined: each counts for itself. */
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
 * Counts what a user does against the setting that says how often a minute they may; 0 is without limit.
 * @throws 429
 */
export async function takeFromMinute(
  request: Pick<FastifyRequest, 'server' | 'user'>,
  setting: 'notes_create_limit' | 'issues_create_limit',
): Promise<void> {
  const { limits, settings } = request.server.services
  const points = settings()[setting]
  if (points > 0) await limits.take(setting, request.user().id, { points, seconds: MINUTE })
}
