import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '#test/program/forgelet.ts'
import { introduce } from './introduction.ts'

const first = { rootPassword: 'a made password', rootToken: 'glpat-made', rootTokenEnds: '2031-05-06' }

/** What a command says, on a terminal or into a pipe. */
function speaking(isTerminal: boolean) {
  const said = { out: '', err: '' }
  return {
    said,
    terminal: {
      out: (text: string) => void (said.out += text),
      err: (text: string) => void (said.err += text),
      isTerminal: { out: isTerminal, err: isTerminal },
    },
  }
}

test.each(['out', 'err'] as const)(
  'a terminal shows the first secrets on %s, and nothing keeps them',
  (stream) => {
    const data = folder()
    const { said, terminal } = speaking(true)
    expect(introduce(first, terminal, stream, { data, logFormat: undefined })).toBeUndefined()
    expect(said[stream]).toMatch(/^ {2}password {2}a made password$/m)
    expect(said[stream]).toMatch(/^ {2}token {5}glpat-made$/m)
    expect(said[stream]).toContain('works until 2031-05-06')
    expect(said[stream === 'out' ? 'err' : 'out']).toBe('')
    expect(existsSync(join(data, 'first-administrator.txt'))).toBe(false)
  },
)

test('elsewhere they are in a file for this account alone, which is named, and in no output', () => {
  const data = folder()
  const path = join(data, 'first-administrator.txt')
  // Whatever lay there is not written into: somebody else could be reading it.
  writeFileSync(path, 'old', { mode: 0o666 })
  const { said, terminal } = speaking(false)
  expect(introduce(first, terminal, 'out', { data, logFormat: undefined })).toContain(path)
  expect(said).toEqual({ out: '', err: '' })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readFileSync(path, 'utf8')).toMatch(/^ {2}token {5}glpat-made$/m)
})

test.each([
  ['a terminal, and JSON is asked for', true, 'json'],
  ['no terminal, and text is asked for', false, 'text'],
] as const)('where there is %s, they are in the file too', (_, isTerminal, logFormat) => {
  const data = folder()
  const { said, terminal } = speaking(isTerminal)
  expect(introduce(first, terminal, 'out', { data, logFormat })).toContain('first-administrator.txt')
  expect(said).toEqual({ out: '', err: '' })
})

test('what the operator chose is shown to nobody', () => {
  const data = folder()
  const { said, terminal } = speaking(true)
  const chosen = { rootPassword: undefined, rootToken: undefined, rootTokenEnds: undefined }
  expect(introduce(chosen, terminal, 'out', { data, logFormat: undefined })).toBeUndefined()
  expect(said).toEqual({ out: '', err: '' })
})
