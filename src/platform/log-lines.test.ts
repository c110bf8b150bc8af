import { pino } from 'pino'
import { expect, test } from 'vitest'
import { lineForPeople } from './log-lines.ts'

/** What pino writes, for people. */
function logged(write: (log: pino.Logger) => void, coloured = false): string {
  let lines = ''
  write(
    pino(
      { level: 'trace', base: { pid: 7 } },
      { write: (json) => void (lines += lineForPeople(json, coloured)) },
    ),
  )
  return lines
}

test('a line has the time, the level, the message, and the rest by name', () => {
  expect(
    logged((log) => log.info({ status: 200, ms: 1.5, user: 'root', url: '/x?a=b c' }, 'request')),
  ).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}request status=200 ms=1.5 user=root url="\/x\?a=b c"\n$/)
  expect(logged((log) => log.warn({ parts: ['a', { b: 1 }], none: null }, 'odd'))).toContain(
    'parts=["a",{"b":1}] none=null\n',
  )
})

test('an error is below its line, with its stack and what it carries', () => {
  const error = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  const lines = logged((log) => log.error({ err: error }, 'not written')).split('\n')
  expect(lines[0]).toContain('error not written')
  expect(lines[1]).toBe('    Error: no space')
  expect(lines[2]).toMatch(/^ {8}at /)
  expect(lines.at(-2)).toBe('    code=ENOSPC')
})

test('only the level has a colour, and only where it is asked for', () => {
  const plain = logged((log) => log.warn('x'))
  // oxlint-disable-next-line no-control-regex -- what a terminal obeys
  expect(plain).not.toMatch(/\u001b/)
  expect(logged((log) => log.warn('x'), true)).toContain('\u001b[33mwarn \u001b[39m x')
})

test('nothing that somebody sends makes a terminal obey or begins a line', () => {
  const nasty = '\u001b[2J\u009b31m\nroot\u202e\u2028'
  const text = logged((log) => log.info({ user: nasty, [nasty]: 1 }, nasty))
  expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
  expect(text).toContain('\\u009b31m')
})

test('what is no line of the log stays as it is', () => {
  expect(lineForPeople('hello\n', true)).toBe('hello\n')
})
