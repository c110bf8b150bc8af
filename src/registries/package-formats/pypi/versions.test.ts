import { expect, test } from 'vitest'
import { normalizedVersion } from './versions.ts'

test.each([
  ['1.0', '1.0'],
  ['v1.0', '1.0'],
  ['01.02', '1.2'],
  ['1!2.0', '1!2.0'],
  ['0!2.0', '2.0'],
  ['1.0-Alpha.1', '1.0a1'],
  ['1.0preview', '1.0rc0'],
  ['1.0c2', '1.0rc2'],
  ['1.0-1', '1.0.post1'],
  ['1.0.rev4', '1.0.post4'],
  ['1.0post', '1.0.post0'],
  ['1.0.dev', '1.0.dev0'],
  ['1.0RC1.post2.dev3+Ubuntu-01', '1.0rc1.post2.dev3+ubuntu.1'],
])('%s is %s', (text, version) => {
  expect(normalizedVersion(text)).toBe(version)
})

test.each(['', 'latest', '1..0', '1.0-', '1.0+', '1.0/../2', ' 1.0', '1.0\n', `1${'.0'.repeat(128)}`])(
  '%j is no version',
  (text) => {
    expect(normalizedVersion(text)).toBeUndefined()
  },
)
