import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { roomIn } from './room.ts'

test('some of a disk is left for everything else', async () => {
  const room = await roomIn(tmpdir())
  const { bavail, bsize } = await statfs(tmpdir())
  expect(room).toBeGreaterThan(0)
  expect(room).toBeLessThan(bavail * bsize)
})

test.runIf(existsSync('/proc/self'))('a disk without room takes nothing', async () => {
  await expect(roomIn('/proc')).rejects.toMatchObject({
    kind: 'full',
    says: '507 Insufficient Storage - the repository storage of this server is full',
  })
})

test('a folder that is gone is no full disk', async () => {
  await expect(roomIn(join(tmpdir(), 'no', 'such'))).rejects.toMatchObject({ kind: 'busy' })
})
