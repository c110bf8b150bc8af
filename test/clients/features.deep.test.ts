import { describe, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

// @gitbeaker/rest has no calls for /features: its FeatureFlags are those of projects.
describe.skipIf(!hasPythonGitlab)('administrators who set feature flags', () => {
  test('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('features.py', w.url, w.root.token, unique('x'))
  })
})
