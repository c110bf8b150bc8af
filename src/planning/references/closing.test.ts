import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { closingReferences } from './closing.ts'
import { parseReferences } from './parse-references.ts'

const site = 'https://forge.example.com'

const closed = (text: string) =>
  closingReferences(text, parseReferences(text, site)).map(
    ({ container, number }) => `${container ?? ''}#${number}`,
  )

test.each([
  ['Close #1', ['#1']],
  ['closes #1', ['#1']],
  ['Closed #1', ['#1']],
  ['Closing #1', ['#1']],
  ['Fix #1', ['#1']],
  ['fixes #1', ['#1']],
  ['Fixed: #1', ['#1']],
  ['Fixing issue #1', ['#1']],
  ['Resolve #1', ['#1']],
  ['Resolved #1', ['#1']],
  ['resolving issues #1 and #2', ['#1', '#2']],
  ['Implement #1', ['#1']],
  ['implements #1', ['#1']],
  ['Implementing #1', ['#1']],
  ['Close #1, #2 and group/project#3', ['#1', '#2', 'group/project#3']],
  ['Closes #1, #2, and #3', ['#1', '#2', '#3']],
  ['Closes #1 #2', ['#1', '#2']],
  [`Resolves ${site}/group/sub/project/-/issues/7`, ['group/sub/project#7']],
  [`Resolves ${site}/g/p/-/issues/7, #8`, ['g/p#7', '#8']],
  ['Say more\n\nCloses #1. Also fixes #2.', ['#1', '#2']],
  ['Closes #1 and see #2', ['#1']],
  ['Closes #1, not #2', ['#1']],
  ['See #1, closes #2', ['#2']],
])('%s closes %j', (text, expected) => {
  expect(closed(text)).toEqual(expected)
})

test.each([
  'See #1',
  'Discloses #1',
  'CLOSES #1',
  'Closes the issue #1',
  'Closes\n#1',
  'Closes !1',
  'Closes `#1`',
  'Prefix #1',
  'Closes https://elsewhere.example.com/g/p/-/issues/1',
])('%j closes nothing', (text) => {
  expect(closed(text)).toEqual([])
})

test('a long text takes no longer than its length', async () => {
  const text = `Closes #1${' '.repeat(100_000)}#2 ${'closes '.repeat(50_000)}`
  expect(await cpuTime(() => expect(closed(text)).toEqual(['#1']))).toBeLessThan(1_000)
})
