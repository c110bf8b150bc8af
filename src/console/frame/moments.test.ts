import { expect, test } from 'vitest'
import { since } from './moments.ts'

test.each([
  ['2026-01-02T03:04:05.000Z', '2026-01-02 03:04 UTC'],
  ['2026-01-02T01:04:05.000+02:00', '2026-01-01 23:04 UTC'],
  ['2026-01-02T01:04:05.000-01:30', '2026-01-02 02:34 UTC'],
])('%s is %s', (moment, shown) => {
  expect(since(moment).text).toContain(`>${shown}<`)
})

test('a commit that says to be from the end of time is shown', () => {
  expect(since('+275760-09-13T00:00:00.000-14:00').text).toContain('275760-09-13')
})
