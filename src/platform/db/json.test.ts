import { expect, test } from 'vitest'
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

test('a long text of nothing but backslashes is read once', () => {
  const text = `${'\\'.repeat(500_000)}${HALF}`
  const begun = performance.now()
  expect(JSON.parse(storableJson(text))).toBe(`${'\\'.repeat(500_000)}\ufffd`)
  expect(performance.now() - begun).toBeLessThan(1_000)
})
