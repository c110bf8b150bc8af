import { test } from 'vitest'
import { isLong } from '#test/long.ts'
import { beforeRemovals, expectMeeting, pairs, verbs } from './conflict-verbs.ts'
import { aroundMerge, changeIt, expectMergeMeets } from './merge-conflicts.ts'

/** With much time, each verb meets itself and all heavy ones pair by pair, which names the pair that failed. */
const crowdsOf = (name: string) => (isLong ? pairs(name) : [beforeRemovals(name)])

test.each([...verbs])(
  '%s: meets itself, and what takes away the rows that it needs, without a deadlock and without a 5xx',
  { timeout: 180_000 },
  async (name, verb) => {
    for (const crowd of crowdsOf(name)) await expectMeeting(name, verb, crowd)
  },
)

test.each(Object.entries(aroundMerge))(
  '%s: meets a change of the merge request without a deadlock and without a 5xx',
  (_, verb) => expectMergeMeets(verb, changeIt),
)
