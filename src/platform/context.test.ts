import { expect, test } from 'vitest'
import { systemRandomness } from './context.ts'

test('random bytes are as many as asked for, and never the same twice', () => {
  const sizes = [0, 1, 20, 32, 4_095, 4_096, 4_097, 10_000]
  for (const size of sizes) expect(systemRandomness.bytes(size)).toHaveLength(size)
  const drawn = Array.from({ length: 2_000 }, () => systemRandomness.bytes(16).toString('hex'))
  expect(new Set(drawn).size).toBe(drawn.length)
})

test('what somebody does with their bytes does not reach those of others', () => {
  const [first, second] = [systemRandomness.bytes(16), systemRandomness.bytes(16)]
  const before = second.toString('hex')
  first.fill(0)
  expect(second.toString('hex')).toBe(before)
  expect(systemRandomness.bytes(16)).not.toEqual(first)
})
