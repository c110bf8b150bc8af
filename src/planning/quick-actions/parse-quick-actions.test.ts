import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { issueActions } from './issue-actions.ts'
import { parseQuickActions } from './parse-quick-actions.ts'

/** The commands as lines, and the text. */
const parse = (body: string) => {
  const { commands, text } = parseQuickActions(body)
  return { lines: commands.map(({ name, args }) => `/${name} ${args}`.trim()), text }
}

describe('a command', () => {
  test.each([
    ['stands by itself', '/close', '/close', ''],
    ['takes the rest of its line', '/label ~bug  ~"to do" ', '/label ~bug  ~"to do"', ''],
    ['may be written in any case', '/Close\n/LABEL ~Bug', '/close /label ~Bug', ''],
    ['may be called by another name', '/labels ~a\n/remove_label ~b', '/label ~a /unlabel ~b', ''],
    ['stands between lines of text', 'a\n/close\nb', '/close', 'a\nb'],
    ['stands between paragraphs', 'a\n\n/close\n\nb', '/close', 'a\n\nb'],
    ['before a paragraph', '/close\n\na', '/close', 'a'],
    ['behind a paragraph', 'a\n\n/close\n', '/close', 'a'],
    ['at the end of a paragraph', 'a\n/close\n\nb', '/close', 'a\n\nb'],
    [
      'beside others, in their order',
      'a\n\n/close\n\n/lock\n/due today\n\n\nb',
      '/close /lock /due today',
      'a\n\nb',
    ],
    ['with carriage returns', 'a\r\n\r\n/due today\r\n\r\nb', '/due today', 'a\r\n\r\nb'],
    ['behind a quoted line, which it answers', '> a\n/close', '/close', '> a'],
    ['behind a comment', '<!-- a\n\n-->\n/close', '/close', '<!-- a\n\n-->'],
    ['behind closed code', '```\na\n```\n/close', '/close', '```\na\n```'],
    ['behind a closed element', '<b>\na\n</b>\n/close', '/close', '<b>\na\n</b>'],
    ['behind an element in one line', '<b>a</b>\n/close', '/close', '<b>a</b>'],
    ['behind an element that is never closed', '<br>\n\n<p>a\n/close', '/close', '<br>\n\n<p>a'],
    ['behind a closed quote', '>>>\na\n>>>\n/close', '/close', '>>>\na\n>>>'],
    ['behind a quote that is never closed', '>>>\n/close', '/close', '>>>'],
    ['behind a backtick that nothing closes', 'a ` b\n/close', '/close', 'a ` b'],
    ['behind an escaped backtick', 'a \\` b\n/close\nc `', '/close', 'a \\` b\nc `'],
    ['opens no code', '/title a ` b\n/close\nc `', '/title a ` b /close', 'c `'],
  ])('%s', (_, body, lines, text) => {
    const found = parse(body)
    expect({ ...found, lines: found.lines.join(' ') }).toEqual({ lines, text })
  })

  test.each([
    ['unknown names', '/retest\n/hasOwnProperty\n/constructor x'],
    ['longer words', '/closed\n/close.\n/close-it\n/assign@a'],
    ['lines that begin otherwise', ' /close\n- /close\n> /close\na /close\n//close\n/ close'],
    ['fenced code', '```\n/close\n```\n\n~~~ruby\n/close\n\n/lock\n~~~'],
    ['code that is never closed', '```\n/close'],
    ['a fence in a list', '- a\n\n  ```\n/close\n  ```'],
    ['indented code', 'a\n\n    /close\n\n\t/close'],
    ['a code span of several lines', 'a `\n/close\n` b'],
    ['comments', '<!--\n/close\n\n/lock\n-->\n\n<!-- a -->/close'],
    ['a comment that is never closed', 'a\n\n<!-- b\n\n/close'],
    ['an element', '<details>\n<summary>a</summary>\n\n/close\n\n</details>'],
    ['an element with attributes', '<div class="a"\n  id="b">\n/close\n</DIV>'],
    ['a quote of several paragraphs', '>>>\na\n\n/close\n>>> '],
    ['nothing', ''],
  ])('is not found in %s', (_, body) => {
    expect(parse(body)).toEqual({ lines: [], text: body })
  })

  test('leaves the rest as it is: indented code at the start, blank lines elsewhere', () => {
    expect(parse('/close\n\n    code\n\n\ntext').text).toBe('    code\n\n\ntext')
  })

  test('of another table is another one', () => {
    const shout = { does: 'Shouts.', changes: 'title', run: () => ({ says: '' }) } as const
    expect(parseQuickActions('/shout a\n/close', { shout })).toEqual({
      commands: [{ name: 'shout', args: 'a' }],
      text: '/close',
    })
  })
})

const names = Object.keys(issueActions)
const command = fc
  .tuple(fc.constantFrom(...names), fc.stringMatching(/^[a-z~@%"#`0-9 -]{0,12}[a-z]$/))
  .map(([name, args]) => `/${name} ${args.trim()}`)
const text = fc.stringMatching(/^[a-z][a-z ]{0,10}[a-z]$/)
const code = command.map((line) => `\`\`\`\n${line}\n\n${line}\n\`\`\``)
const quote = command.map((line) => `>>>\n${line}\n\n${line}\n>>>`)
const comment = command.map((line) => `<!--\n${line}\n-->`)
const element = command.map((line) => `<details>\n\n${line}\n\n</details>`)
const pieces =
  '/close|/title `|/label ~"a|/title </b>|`|```|~~~|>>>|> |<b>|</b>|<!--|-->|- |\\|a|<p|😀|\u2028'
const ends = ['\n', '\n', '\n\n', '\r\n']
const hostile = (...more: string[]) =>
  fc.array(fc.constantFrom(...more, ...ends, ...pieces.split('|')), { maxLength: 40 })

describe('any body', () => {
  test('gives back its commands and its text, paragraph by paragraph', () => {
    const part = fc.oneof(command, text, code, quote, comment, element)
    const isCommand = (one: string) => one.startsWith('/')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const { lines, text } = parse(parts.join('\n\n'))
        expect(lines).toEqual(parts.filter(isCommand))
        expect(text).toBe(parts.filter((one) => !isCommand(one)).join('\n\n'))
      }),
    )
  })

  test('loses nothing but commands and blank lines', () => {
    const squeezed = (one: string) => one.replace(/\s/g, '')
    fc.assert(
      fc.property(hostile('    ', '\t', ' '), (pieces) => {
        const body = pieces.join('')
        const { lines, text } = parse(body)
        expect(squeezed(text).length + squeezed(lines.join('')).length).toBe(squeezed(body).length)
      }),
      { numRuns: 1_000 },
    )
  })

  test('has no commands left in its text', () => {
    // Lines behind a command that are indented may become code when it is gone.
    fc.assert(
      fc.property(hostile(), (pieces) => {
        const { text } = parse(pieces.join(''))
        expect(parse(text)).toEqual({ lines: [], text })
      }),
      { numRuns: 1_000 },
    )
  })
})

/** Milliseconds that this thread has worked, whatever else the machine does. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

describe('a megabyte of hostile text takes no more than its share of time', () => {
  const MEGABYTE = 1_000_000
  const lines = ['/close', '/close\n', '/close\n ', ' \n/close', '', '\t', '`', '` ``', '>>>', '- ', '</b>']
  const blocks = ['<b>', '<b>\n</c>', '<!--\n-->', '```\n/close']
  const pieces = [
    '/',
    '/a',
    '/close ',
    ' ',
    '\r',
    '`',
    '\\`',
    '>',
    '</b>',
    '<',
    '<!--',
    '<!---->',
    '<a>\n</a',
    '~~~',
  ]
  test.each([...[...lines, ...blocks].map((line) => `${line}\n`), ...pieces, '/label ~"', '/assign @a,'])(
    '%j repeated',
    (piece) => {
      const body = piece.repeat(Math.ceil(MEGABYTE / piece.length))
      const started = processorTime()
      parseQuickActions(`/close\n${body}\n/close`)
      // Linear takes some 0.2 s; quadratic would take minutes.
      expect(processorTime() - started).toBeLessThan(4_000)
    },
  )

  test('elements and backtick runs of every length', () => {
    let body = ''
    for (let length = 1; body.length < MEGABYTE; length += 1) {
      body += `${'`'.repeat(length)}\n<${'a'.repeat(length)}>\n</${'a'.repeat(length)}>\n`
    }
    const started = processorTime()
    parseQuickActions(body)
    expect(processorTime() - started).toBeLessThan(4_000)
  })
})
