import { expect, test } from 'vitest'
import { fileNameOf, isWanted } from './artifacts.ts'
import { isJob } from './job.ts'
import { jobWith } from './test-support.ts'

test.each([
  [null, null, 'artifacts.zip'],
  ['', 'zip', 'artifacts.zip'],
  ['build-main', 'zip', 'build-main.zip'],
  ['../../evil', 'zip', '..-..-evil.zip'],
  ['..', 'raw', 'artifacts'],
  ['/etc/passwd', 'raw', '-etc-passwd'],
  ['junit.xml', 'gzip', 'junit.xml.gz'],
  ['a\nb"c', 'zip', 'a-b-c.zip'],
])('%j in the format %s is called %s', (name, artifact_format, expected) => {
  expect(fileNameOf({ name: name ?? null, artifact_format: artifact_format ?? null }, (text) => text)).toBe(
    expected,
  )
})

test.each([
  [null, true, true],
  ['on_success', false, false],
  ['on_failure', false, true],
  ['on_failure', true, false],
  ['always', false, true],
])('artifacts with when: %s of a job that passed (%s) are sent: %s', (when, hasPassed, expected) => {
  expect(isWanted({ when: when ?? null }, hasPassed)).toBe(expected)
})

test('a job is read with nulls and with more than is known', () => {
  const whole = {
    ...jobWith({}),
    image: { name: 'x' },
    artifacts: null,
    cache: null,
    dependencies: null,
    hooks: null,
  }
  expect(isJob(whole)).toBe(true)
  expect(isJob({ ...whole, steps: 'x' })).toBe(false)
  expect(isJob(null)).toBe(false)
})
