import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newSystemId, readConfig, writeConfig } from './config.ts'
import { temporaryFolder } from './test-support.ts'

const config = { url: 'http://127.0.0.1:1', token: 'glrt-x', system_id: newSystemId() }

test('a configuration is for its account alone', async () => {
  await using home = await temporaryFolder()
  const folder = join(home.path, 'runner')
  expect(await readConfig(folder)).toBeUndefined()
  await writeConfig(folder, config)
  expect(await readConfig(folder)).toEqual(config)
  const file = join(folder, 'config.json')
  expect([(await stat(folder)).mode & 0o777, (await stat(file)).mode & 0o777]).toEqual([0o700, 0o600])
  await chmod(file, 0o640)
  await expect(readConfig(folder)).rejects.toThrow(`others may read ${file}`)
})

test.each([
  ['{', 'is no JSON'],
  ['{}', 'lacks url'],
])('a configuration that is %s is refused', async (text, because) => {
  await using home = await temporaryFolder()
  await writeFile(join(home.path, 'config.json'), text, { mode: 0o600 })
  await expect(readConfig(home.path)).rejects.toThrow(because)
})

test('a folder that cannot be looked into is not one without a runner', async () => {
  await using home = await temporaryFolder({ file: '' })
  await expect(readConfig(join(home.path, 'file'))).rejects.toThrow(
    'config.json cannot be read: Error: ENOTDIR',
  )
})
