import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { humanTime } from './human-time.ts'
import { readDuration } from './read-duration.ts'

describe('a duration', () => {
  test.each([
    ['3h30m', 12_600],
    ['3h 30m', 12_600],
    ['1w 2d', 7 * 8 * 3_600],
    ['1mo', 4 * 5 * 8 * 3_600],
    ['1d', 8 * 3_600],
    ['30m', 1_800],
    ['-30m', -1_800],
    ['- 1h 30m', -5_400],
    [' 2H, 5 Minutes ', 7_500],
    ['1 month 1 week 1 day 1 hour 1 minute 1 second', 752_461],
    ['1.5h', 5_400],
    ['0.5 s', 1],
    ['30m 1h', 5_400],
    ['2', 7_200],
    ['0', 0],
    ['-0m', 0],
    ['999999999999s', 999_999_999_999],
  ])('%j is read', (text, seconds) => {
    expect(readDuration(text)).toBe(seconds)
  })

  test.each([
    '',
    ' ',
    '-',
    'h',
    '1x',
    '1h30',
    '1h -30m',
    '--1h',
    '+1h',
    '1e3h',
    '1,5h',
    '.5h',
    '1.h',
    '0x10h',
    '12345678901234h',
    '999999999999mo',
    'soon',
    '1h soon',
    '1h\u0660m',
  ])('%j is none', (text) => {
    expect(readDuration(text)).toBeUndefined()
  })

  const seconds = fc.integer({ min: -2_147_483_647, max: 2_147_483_647 })

  it('is read back from how it is shown', () => {
    fc.assert(
      fc.property(seconds, (given) => {
        expect(readDuration(humanTime(given))).toBe(given)
      }),
    )
  })

  it('is what its parts are together, in any order and with any spaces', () => {
    const sizes = { mo: 576_000, w: 144_000, d: 28_800, h: 3_600, m: 60, s: 1 }
    const part = fc.record({
      unit: fc.constantFrom('mo', 'w', 'd', 'h', 'm', 's'),
      count: fc.nat(9_999),
      space: fc.constantFrom('', ' ', ', ', '\t'),
    })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 9 }), (parts) => {
        const text = parts.map(({ count, unit, space }) => `${count}${unit}${space}`).join('')
        expect(readDuration(text)).toBe(parts.reduce((sum, { count, unit }) => sum + count * sizes[unit], 0))
      }),
    )
  })

  it('is a safe integer or nothing, whatever is given, and soon', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?[0-9 .,hdwmos]{0,300}$/)), (text) => {
        const read = readDuration(text)
        expect(read === undefined || Number.isSafeInteger(read)).toBe(true)
      }),
    )
  })
})
