import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NOWHERE, temporaryFolder } from './test-support.ts'
import { JobVariables } from './variables.ts'

test('values refer to what only the runner knows, unless they are raw', () => {
  const variables = new JobVariables(
    [
      { key: 'OUT', value: '$CI_PROJECT_DIR/out', raw: false },
      { key: 'PRICE', value: '$5 and ${CI_PROJECT_DIR}', raw: true },
      { key: 'CI_PROJECT_DIR', value: 'somebody elses', raw: true },
      { key: 'NOTHING', value: null },
      { key: 'PATH', value: '/mine:$PATH', raw: false },
    ],
    {
      own: { CI_PROJECT_DIR: '/builds/x' },
      folder: '/nowhere',
      environment: { PATH: '/bin', HOME: '/home/x', FORGELET_SECRET_KEY: 'hidden' },
    },
  )
  expect(variables.environment()).toEqual({
    PATH: '/mine:/bin',
    HOME: '/home/x',
    OUT: '/builds/x/out',
    PRICE: '$5 and ${CI_PROJECT_DIR}',
    CI_PROJECT_DIR: '/builds/x',
    NOTHING: '',
  })
  expect(variables.expand('a-$OUT-${UNKNOWN}-b')).toBe('a-/builds/x/out--b')
})

test('variables of the kind file are files that nobody else reads', async () => {
  await using folder = await temporaryFolder()
  const at = join(folder.path, 'variables')
  const variables = new JobVariables([{ key: 'KEY', value: 'secret\n', file: true, raw: true }], {
    ...NOWHERE,
    folder: at,
  })
  await variables.writeFiles()
  const path = variables.get('KEY') ?? ''
  expect([path, await readFile(path, 'utf8')]).toEqual([join(at, 'KEY'), 'secret\n'])
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test.each(['../../evil', 'a/b', 'a=b', '', '9', 'a\0b'])('a key that is no name is left out: %j', (key) => {
  const variables = new JobVariables([{ key, value: 'x', file: true }], NOWHERE)
  expect(variables.environment()).toEqual({})
})
