import { expect, test } from 'vitest'
import { Kept } from './kept.ts'

const opened = () => new Kept<string>({ most: 100, sizeOf: ({ length }) => length })
const text = (length: number) => 'x'.repeat(length)

test('what nobody asked for longest goes, before all take too much', () => {
  const kept = opened()
  for (const key of ['a', 'b', 'c', 'd']) kept.keep(key, text(23))
  expect(kept.size).toBe(92)
  expect(kept.get('a')).toHaveLength(23)
  kept.keep('e', text(25))
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => kept.get(key) !== undefined)).toEqual(['a', 'c', 'd', 'e'])
  expect(kept.size).toBe(94)
})

test('what is kept again takes the place of what was there', () => {
  const kept = opened()
  kept.keep('a', text(20))
  kept.keep('a', text(10))
  expect([kept.get('a')?.length, kept.size]).toEqual([10, 10])
})

test('nothing that would take the room of all others is kept', () => {
  const kept = opened()
  kept.keep('a', text(kept.mostOfOne))
  kept.keep('b', text(kept.mostOfOne + 1))
  expect([kept.get('a')?.length, kept.get('b')]).toEqual([25, undefined])
})
