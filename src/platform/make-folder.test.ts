import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '#test/temporary-folder.ts'
import { FolderRefused, makeFolder } from './make-folder.ts'

let base = ''
beforeAll(async () => {
  base = await mkdtemp(join(temporaryFolder(), 'forgelet-folders-'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

test('many who make the same folders at once all find them', async () => {
  for (let round = 0; round < 200; round += 1) {
    const path = join(base, String(round), 'a', 'b')
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(path, 0o700)))
    expect((await stat(path)).mode & 0o777).toBe(0o700)
  }
})

test.skipIf(process.platform !== 'linux')('a folder of the system that takes none is named', async () => {
  await expect(makeFolder('/proc/forgelet/data', 0o700)).rejects.toThrow(FolderRefused)
  await expect(makeFolder('/proc/forgelet/data', 0o700)).rejects.toThrow('/proc belongs to the system')
})
