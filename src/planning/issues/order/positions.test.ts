import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { GAP, positionBetween, spread } from './positions.ts'

const MAX = 2_147_483_647
const end = fc.option(fc.integer({ min: -MAX, max: MAX }))
/** Two ends, the lower one first. */
const ends = fc
  .tuple(end, end)
  .map(([one, other]): [number | null, number | null] =>
    one !== null && other !== null && one > other ? [other, one] : [one, other],
  )

describe('a position between two others', () => {
  test.each([
    [null, null, 0],
    [0, null, GAP],
    [null, 0, -GAP],
    [0, GAP, GAP / 2],
    [4, 6, 5],
    [4, 5, null],
    [4, 4, null],
    [MAX, null, null],
    [null, -MAX, null],
    [MAX - 3, null, MAX - 2],
  ])('%j and %j is %j', (before, after, between) => {
    expect(positionBetween(before, after)).toBe(between)
  })

  it('lies between, within what a column holds, or there is no room', () => {
    fc.assert(
      fc.property(ends, ([before, after]) => {
        const found = positionBetween(before, after)
        const [low, high] = [before ?? -MAX - 1, after ?? MAX + 1]
        if (found === null) expect(high - low).toBeLessThanOrEqual(2)
        else expect(found > low && found < high).toBe(true)
      }),
    )
  })
})

describe('positions that are spread', () => {
  it('rise between the ends with room between them, or there is none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), ends, (count, [before, after]) => {
        const found = spread(count, before, after)
        const [low, high] = [before ?? -MAX - 1, after ?? MAX + 1]
        if (found === null) {
          expect(high - low).toBeLessThan((count + 2) * 16)
          return
        }
        const all = [low, ...found, high]
        expect(found).toHaveLength(count)
        expect(all.slice(1).every((position, n) => position - (all[n] ?? 0) >= 1)).toBe(true)
        expect(found.slice(1).every((position, n) => position - (found[n] ?? 0) >= 15)).toBe(true)
      }),
    )
  })

  it('are in the middle of it all when there are no ends', () => {
    expect(spread(3, null, null)).toEqual([-GAP, 0, GAP])
  })
})
