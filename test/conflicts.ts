import { expect } from 'vitest'
import type { Answer } from './client.ts'
import { deadlockLines } from './deadlock-lines.ts'
import { w } from './world.ts'

/** A request, sent anew each time that it is called. */
export type Verb = () => Promise<Answer>

/**
 * Sends two requests at the same moment, both twice. None may be refused with a 5xx, and PostgreSQL may not have had to
 * end a deadlock: every write takes its locks in the one order (docs/decisions/0014-write-protocol.md).
 * @param before the deadlocks so far, for those who call this again and again: to count them takes as long as a request.
 * @returns the answers to `one`, then those to `other`.
 */
export async function collide(one: Verb, other: Verb, before?: number): Promise<[Answer[], Answer[]]> {
  const [a, b, c, d] = await collideAll([one, other, one, other] as const, before)
  return [
    [a, c],
    [b, d],
  ]
}

/** The same for requests of any number, each sent once. @returns the answers in their order. */
export async function collideAll<Verbs extends readonly Verb[]>(
  verbs: Verbs,
  before?: number,
): Promise<{ [each in keyof Verbs]: Answer }> {
  const known = before ?? (await deadlocks())
  const answers = await Promise.all(verbs.map((verb) => verb()))
  const failed = answers.filter(({ status }) => status >= 500)
  expect(failed.map(({ status, text }) => `${status} ${text}`)).toEqual([])
  const met = (await deadlocks()) > known ? ['a deadlock', ...deadlockLines] : []
  expect(met).toEqual([])
  return answers as { [each in keyof Verbs]: Answer }
}

/** How many transactions of this server met a deadlock so far. */
export async function deadlocks(): Promise<number> {
  const text = await w.running.services.metrics.print()
  return Number(/forgelet_transactions_run_again_total\{collision="deadlock"\} (\d+)/.exec(text)?.[1] ?? 0)
}
