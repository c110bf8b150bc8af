import { describe, expect, test } from 'vitest'
import { reduceEvent } from '../collector/event.ts'
import { failure, newId } from '../test-support.ts'
import { describe as described } from './describe.ts'
import { fingerprintOf } from './fingerprint.ts'
import { compareReleases } from './releases.ts'

const kept = (event: object) => reduceEvent({ ...event }, new Date(), newId)
const same = (one: object, other: object) => fingerprintOf(kept(one)) === fingerprintOf(kept(other))

const thrown = (type: string, value: string, ...frames: readonly object[]) => ({
  exception: { values: [{ type, value, stacktrace: { frames } }] },
})
const own = (filename: string, name: string, more: object = {}) => ({
  filename,
  function: name,
  in_app: true,
  ...more,
})

describe('the same error are', () => {
  test.each([
    ['exceptions of one type from the same calls', failure('it failed'), failure('something else')],
    [
      'those whose calls are on other lines, in another build, at another host',
      thrown('E', 'x', own('https://a.example/js/app.3f2a9c1b04.js?v=1', 'pay', { lineno: 1 })),
      thrown('E', 'x', own('https://b.example/js/app.77aa0c1bff.js?v=2', 'pay', { lineno: 9 })),
    ],
    [
      "those that differ in others' code",
      thrown('E', 'x', { filename: 'lib/a.js', function: 'a', in_app: false }, own('app.js', 'pay')),
      thrown('E', 'x', { filename: 'lib/b.js', function: 'b', in_app: false }, own('app.js', 'pay')),
    ],
    [
      'messages that differ in numbers and ids',
      { message: 'order 12 of 7b1c2f7e-0f4c-4c1e-8a57-93d4bb5f1f11 at 2026-01-02T03:04:05Z' },
      { message: 'order 99 of 11111111-0f4c-4c1e-8a57-93d4bb5f1f11 at 2027-01-02T03:04:05Z' },
    ],
    [
      'messages from one template',
      { logentry: { message: 'user %s', formatted: 'user ada' } },
      { logentry: { message: 'user %s', formatted: 'user bob' } },
    ],
    [
      'what has one given fingerprint',
      failure('x', { fingerprint: ['a'] }),
      { message: 'y', fingerprint: ['a'] },
    ],
    ['exceptions without calls and with the same text', thrown('E', 'no 12'), thrown('E', 'no 13')],
  ])('%s', (_, one, other) => expect(same(one, other)).toBe(true))
})

describe('different errors are', () => {
  test.each([
    ['exceptions of other types', thrown('A', 'x', own('a.js', 'f')), thrown('B', 'x', own('a.js', 'f'))],
    ['exceptions from other calls', thrown('A', 'x', own('a.js', 'f')), thrown('A', 'x', own('a.js', 'g'))],
    ['other messages', { message: 'one' }, { message: 'two' }],
    ['exceptions without calls and with other texts', thrown('E', 'one'), thrown('E', 'two')],
    ['the default with more', failure('x', { fingerprint: ['{{ default }}', 'a'] }), failure('x')],
    [
      'the default of different events with the same',
      { ...thrown('A', 'x'), fingerprint: ['{{ default }}', 'a'] },
      { ...thrown('B', 'x'), fingerprint: ['{{ default }}', 'a'] },
    ],
  ])('%s', (_, one, other) => expect(same(one, other)).toBe(false))
})

test.each([
  [failure('first line\nsecond'), 'TypeError', 'TypeError: first line', '/app/src/pay.js in pay'],
  [{ message: 'hello' }, null, 'hello', null],
  [{ logentry: { message: 'a %s', formatted: 'a b' }, transaction: 'GET /' }, null, 'a b', 'GET /'],
  [thrown('E', ''), 'E', 'E', null],
  [{}, null, '(without a message)', null],
])('%j is known as it should be', (event, type, title, culprit) =>
  expect(described(kept(event))).toEqual({ type, title, culprit }),
)

test.each([
  ['app@1.2.3', 'app@1.10.0', -1],
  ['1.2.3', '1.2.3', 0],
  ['v2.0.0', '2.0.0-rc.1', 1],
  ['app@1.0.0-rc.2', 'app@1.0.0-rc.10', -1],
  ['a@1.0.0', 'b@1.0.0', undefined],
  ['3f2a9c1', '77aa0c1', undefined],
])('%s against %s', (one, other, order) => {
  const compared = compareReleases(one, other)
  expect(compared === undefined ? undefined : Math.sign(compared)).toBe(order)
})
