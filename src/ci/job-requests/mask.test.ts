import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Mask } from './mask.ts'

/** A log as it is shown in the end, when it came in these pieces. */
function masked(secrets: readonly string[], pieces: readonly string[]): string {
  const mask = new Mask(secrets)
  let shown = ''
  let heldBack: Buffer = Buffer.alloc(0)
  for (const piece of pieces) {
    const part = mask.part(heldBack, Buffer.from(piece, 'latin1'))
    shown += part.shown.toString('latin1')
    heldBack = part.heldBack
  }
  return shown + mask.part(heldBack, Buffer.alloc(0), true).shown.toString('latin1')
}

test.each([
  [['secret'], ['a secret b'], 'a xxxxxx b'],
  [['secret'], ['a sec', 'ret b'], 'a xxxxxx b'],
  [['secret'], ['a s', 'e', 'c', 'r', 'e', 't', '!'], 'a xxxxxx!'],
  [['secret'], ['a sec', 'tor'], 'a sector'],
  [['secret', 'secret-and-more'], ['secret-and-', 'less'], 'xxxxxx-and-less'],
  [['abcd', 'cdef'], ['abcd', 'zz'], 'xxxxzz'],
  [['abcd', 'cdef'], ['abcd', 'ef'], 'xxxxxx'],
  [['aaaa'], ['aaaaa', 'aa', 'b'], 'xxxxxxxb'],
  [[''], ['nothing'], 'nothing'],
  [[], ['nothing'], 'nothing'],
])('%j in %j', (secrets, pieces, shown) => {
  expect(masked(secrets, pieces)).toBe(shown)
})

test('pieces make no difference: what is a secret in the whole log is covered, and nothing else', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 40 })
  const secret = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 4 }), fc.array(text, { maxLength: 6 }), (secrets, pieces) => {
      const whole = pieces.join('')
      const expected = whole.split('')
      for (const one of secrets)
        for (let at = whole.indexOf(one); at >= 0; at = whole.indexOf(one, at + 1))
          expected.fill('x', at, at + one.length)
      expect(masked(secrets, pieces)).toBe(expected.join(''))
    }),
  )
})

test('what is held back is never longer than twice the longest secret', () => {
  const mask = new Mask(['a'.repeat(50)])
  let heldBack: Buffer = Buffer.alloc(0)
  for (let n = 0; n < 20; n += 1) {
    const part = mask.part(heldBack, Buffer.from('a'.repeat(1000)))
    heldBack = part.heldBack
    expect(heldBack.length).toBeLessThan(100)
  }
})
