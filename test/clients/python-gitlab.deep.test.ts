import { describe, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('does what its users do', { timeout: 180_000 }, async () => {
    await expectHeld('python-gitlab.py', w.url, w.root.token, unique('x'))
  })
})
