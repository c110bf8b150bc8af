import { test } from 'vitest'
import { beforeChanges, expectMeeting, verbs } from './conflict-verbs.ts'
import { aroundMerge, expectMergeMeets, mergeIt } from './merge-conflicts.ts'

// One round of each verb. conflict-crowds.deep.test.ts has the others.

test.each([...verbs])(
  '%s: meets itself, and what changes the rows that it needs, without a deadlock and without a 5xx',
  (name, verb) => expectMeeting(name, verb, beforeChanges(name)),
)

test.each(Object.entries(aroundMerge))(
  '%s: meets a merge of the merge request without a deadlock and without a 5xx',
  (_, verb) => expectMergeMeets(verb, mergeIt),
)
