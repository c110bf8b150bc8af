import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { storableJson } from './json.ts'

const HALF = '\ud83d'

test.each([
  [HALF, '\ufffd'],
  [`a${HALF}b\udc00`, 'a\ufffdb\ufffd'],
  ['\u{1f600}', '\u{1f600}'],
  [String.raw`\ud83d`, String.raw`\ud83d`],
  [String.raw`\\ud83d` + HALF, String.raw`\\ud83d` + '\ufffd'],
  [`\\${HALF}"${HALF}`, '\\\ufffd"\ufffd'],
])('%j is stored as %j', (text, stored) => {
  expect(JSON.parse(storableJson({ [text]: [text] }))).toEqual({ [stored]: [stored] })
})

test('a long text of nothing but backslashes is read once', async () => {
  const text = `${'\\'.repeat(500_000)}${HALF}`
  const read = () => expect(JSON.parse(storableJson(text))).toBe(`${'\\'.repeat(500_000)}\ufffd`)
  expect(await cpuTime(read)).toBeLessThan(1_000)
})
