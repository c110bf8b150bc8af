import { expect } from 'vitest'
import type { Answer } from './client.ts'
import { w } from './world.ts'

/** A request, sent anew each time that it is called. */
export type Verb = () => Promise<Answer>

/**
 * Sends two requests at the same moment, both twice. None may be refused with a 5xx, and PostgreSQL may not have had to
 * end a deadlock: every write takes its locks in the one order (docs/decisions/0014-write-protocol.md).
 * @returns the answers to `one`, then those to `other`.
 */
export async function collide(one: Verb, other: Verb, rounds = 1): Promise<[Answer[], Answer[]]> {
  const before = await deadlocks()
  const first: Answer[] = []
  const second: Answer[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [a, b, c, d] = await Promise.all([one(), other(), one(), other()])
    first.push(a, c)
    second.push(b, d)
  }
  const failed = [...first, ...second].filter(({ status }) => status >= 500)
  expect(failed.map(({ status, text }) => `${status} ${text}`)).toEqual([])
  expect(await deadlocks()).toBe(before)
  return [first, second]
}

/** How many transactions of this server met a deadlock so far. */
async function deadlocks(): Promise<number> {
  const text = await w.running.services.metrics.print()
  return Number(/forgelet_transactions_run_again_total\{collision="deadlock"\} (\d+)/.exec(text)?.[1] ?? 0)
}
