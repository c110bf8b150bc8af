import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { unique, w } from '../world.ts'

/** Debian's python3-gitlab belongs to the system's own Python. */
const python = '/usr/bin/python3'
const installed = spawnSync(python, ['-c', 'import gitlab']).status === 0
if (!installed) console.log("skipped: Debian's python3-gitlab is not installed")

// @gitbeaker/rest has no calls for /features: its FeatureFlags are those of projects.
describe.skipIf(!installed)('administrators who set feature flags', () => {
  test('with python-gitlab', { timeout: 60_000 }, async () => {
    const script = fileURLToPath(new URL('features.py', import.meta.url))
    const { stdout } = await promisify(execFile)(python, [script, w.url, w.root.token, unique('x')])
    expect(stdout.trim()).toBe('held')
  })
})
