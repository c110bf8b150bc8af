import { expect, test } from 'vitest'
import { KeptRenderings } from './kept-renderings.ts'

const rendered = (characters: number) => ({ html: 'x'.repeat(characters), references: [] })

test('what was not asked for longest goes, before all take too much', () => {
  const kept = new KeptRenderings(10_000)
  for (const key of ['a', 'b', 'c', 'd']) kept.keep(key, rendered(1_000))
  expect(kept.bytes).toBe(9_200)
  expect(kept.get('a')?.html).toHaveLength(1_000)
  kept.keep('e', rendered(1_000))
  expect(['a', 'b', 'c', 'd', 'e'].filter((key) => kept.get(key) !== undefined)).toEqual(['a', 'c', 'd', 'e'])
  kept.keep('e', rendered(900))
  kept.keep('large', rendered(5_000))
  expect(kept.get('large')).toBeUndefined()
  expect(kept.bytes).toBe(9_200)
})

test('keys tell apart what would read the same in a row', () => {
  expect(KeptRenderings.keyOf(['a', 'b'])).not.toBe(KeptRenderings.keyOf(['ab', '']))
})
