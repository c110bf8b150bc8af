import { expect, test } from 'vitest'
import { neededFeatures } from './needed-features.ts'

test.each([
  [{}, []],
  [{ artifacts: { paths: ['a'] } }, []],
  [{ artifacts: { paths: ['a'], exclude: ['a/b'] } }, ['artifacts_exclude']],
  [{ artifacts: { reports: { junit: 'a.xml' } } }, ['upload_multiple_artifacts']],
  [{ release: { tag_name: 'v1', description: 'x' } }, ['multi_build_steps']],
  [{ run: [{ name: 'a', step: 'b' }] }, ['native_steps_integration']],
  [{ retry: { max: 1, when: ['script_failure'] } }, []],
  [{ retry: { max: 1, exit_codes: [3] } }, ['return_exit_code']],
])('a job with %j needs %j', (options, features) => {
  expect(neededFeatures({ allowFailure: false, options }, false)).toEqual(features)
})

test('so do jobs that some exit codes may fail, and those of merge requests', () => {
  expect(neededFeatures({ allowFailure: true, options: {} }, false)).toEqual([])
  expect(neededFeatures({ allowFailure: { exitCodes: [3] }, options: {} }, true)).toEqual([
    'refspecs',
    'return_exit_code',
  ])
})
