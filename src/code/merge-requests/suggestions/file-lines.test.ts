import { expect, test } from 'vitest'
import { FileLines } from './file-lines.ts'

const lines = (text: string) => new FileLines(Buffer.from(text))

test.each([
  ['', 0, ''],
  ['a', 1, ''],
  ['a\n', 1, ''],
  ['a\nb', 2, 'b'],
  ['a\nä\r\n\nc\n', 4, 'ä\r\n'],
  ['\n\n', 2, '\n'],
])('the lines of %j are %i', (text, count, second) => {
  const read = lines(text)
  expect([read.count, read.between(2, 2), read.between(1, count)]).toEqual([count, second, text])
  expect(read.between(count + 1, count + 5)).toBe('')
})

test('other lines are written in any order, and at both ends', () => {
  const text = lines('1\n2\n3\n4\n5')
  const other = (from_line: number, to_line: number, to_content: string) => ({
    from_line,
    to_line,
    to_content,
  })
  expect(text.with([other(5, 5, 'e'), other(1, 1, ''), other(3, 4, 'c\nd\nmore\n')]).toString()).toBe(
    '2\nc\nd\nmore\ne',
  )
  expect(text.with([]).toString()).toBe('1\n2\n3\n4\n5')
})
