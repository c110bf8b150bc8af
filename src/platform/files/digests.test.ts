import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Digests } from './digests.ts'

const MB = 1024 * 1024
const expected = (bytes: Buffer) => ({
  md5: createHash('md5').update(bytes).digest(),
  sha256: createHash('sha256').update(bytes).digest(),
})

async function digestsOf(bytes: Buffer, step: number) {
  const digests = new Digests('md5', 'sha256')
  // What was added may change afterwards.
  const piece = Buffer.alloc(step)
  for (let at = 0; at < bytes.length; at += step) {
    const length = bytes.copy(piece, 0, at, at + step)
    await digests.add(piece.subarray(0, length))
  }
  return digests.end()
}

test.each([
  [0, 1],
  [1, 1],
  [1_000, 7],
  [MB, 64 * 1024],
  [MB + 1, MB],
  [12 * MB + 5, 65_521],
  [9 * MB, 9 * MB],
])('are those of %i bytes, %i at a time', async (size, step) => {
  const bytes = randomBytes(size)
  expect(await digestsOf(bytes, step)).toEqual(expected(bytes))
})

test('of many streams at once are not mixed up, and streams that end early leave nothing', async () => {
  const all = Array.from({ length: 20 }, (_, index) => randomBytes((index % 5) * MB + index))
  const found = await Promise.all(
    all.map(async (bytes, index) => {
      const left = new Digests('sha1')
      await left.add(bytes)
      left.giveUp()
      return digestsOf(bytes, 10_000 + index)
    }),
  )
  expect(found).toEqual(all.map(expected))
})
