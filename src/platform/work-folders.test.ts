import { mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFiles } from './files/test-support.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { WorkFolders } from './work-folders.ts'

const isOlderThanADay = new Date(Date.now() - 25 * 3_600_000)

test('a folder is below the data folder, closed to others, and gone when the work is done', async () => {
  await using data = await temporaryFolder()
  const folders = new WorkFolders(data.path)
  {
    await using folder = await folders.open('import-1')
    expect(folder.path).toBe(join(data.path, 'work', 'import-1'))
    expect((await stat(folder.path)).mode & 0o777).toBe(0o700)
    await writeFile(join(folder.path, 'a'), 'a')
  }
  expect(await readdir(join(data.path, 'work'))).toEqual([])
})

test('work that begins anew after its process was killed finds an empty folder', async () => {
  await using data = await temporaryFolder()
  const folders = new WorkFolders(data.path)
  const killed = await folders.open('import-1')
  await writeFile(join(killed.path, 'a'), 'a')
  await using again = await folders.open('import-1')
  expect(await readdir(again.path)).toEqual([])
})

test('what nobody continues is removed after a day, and nothing else is', async () => {
  const { data, cleanUp } = await openFiles()
  for (const [name, changed] of [
    ['old', isOlderThanADay],
    ['new', new Date()],
    ['growing', isOlderThanADay],
  ] as const) {
    const folder = join(data, 'work', name)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'a'), 'a')
    if (name === 'old') await utimes(join(folder, 'a'), changed, changed)
    await utimes(folder, changed, changed)
  }
  await cleanUp()
  expect((await readdir(join(data, 'work'))).toSorted()).toEqual(['growing', 'new'])
})
