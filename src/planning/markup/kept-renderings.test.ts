import { expect, test } from 'vitest'
import { keyOf } from './kept-renderings.ts'

test('keys tell apart what would read the same in a row', () => {
  expect(keyOf(['a', 'b'])).not.toBe(keyOf(['ab', '']))
})
