import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '#test/any-character.ts'
import type { Reference } from './kinds.ts'
import { parseReferences } from './parse-references.ts'

const site = 'https://forge.example'
const parse = (text: string) => parseReferences(text, site)

/** What was found, as it was written. */
const written = (text: string) => parse(text).map(({ start, end }) => text.slice(start, end))
const unplaced = (reference: Reference) => {
  const { start: _start, end: _end, ...rest } = reference
  return rest
}

describe('references', () => {
  test.each([
    ['@user', { kind: 'mention', path: 'user' }],
    ['@group/sub-1/a.b', { kind: 'mention', path: 'group/sub-1/a.b' }],
    ['#12', { kind: 'issue', container: null, number: 12 }],
    ['group/project#12', { kind: 'issue', container: 'group/project', number: 12 }],
    ['!3', { kind: 'merge_request', container: null, number: 3 }],
    ['a/b/c!3', { kind: 'merge_request', container: 'a/b/c', number: 3 }],
    ['$5', { kind: 'snippet', container: null, number: 5 }],
    ['&4', { kind: 'epic', container: null, number: 4 }],
    ['group&4', { kind: 'epic', container: 'group', number: 4 }],
    ['%v1.0', { kind: 'milestone', container: null, number: null, name: 'v1.0' }],
    ['%"next release"', { kind: 'milestone', container: null, number: null, name: 'next release' }],
    ['%7', { kind: 'milestone', container: null, number: 7, name: '7' }],
    ['~bug', { kind: 'label', container: null, number: null, name: 'bug' }],
    ['~priority::high', { kind: 'label', container: null, number: null, name: 'priority::high' }],
    ['~"to do"', { kind: 'label', container: null, number: null, name: 'to do' }],
    ['~"12"', { kind: 'label', container: null, number: null, name: '12' }],
    ['group/project~bug', { kind: 'label', container: 'group/project', number: null, name: 'bug' }],
    [`${site}/group/project`, { kind: 'project', path: 'group/project' }],
    [`${site}/a/b/c/-/issues/12#note_1`, { kind: 'issue', container: 'a/b/c', number: 12 }],
    [`${site}/a/b/-/merge_requests/3?x=1`, { kind: 'merge_request', container: 'a/b', number: 3 }],
    [`${site}/groups/a/b/-/epics/4`, { kind: 'epic', container: 'a/b', number: 4 }],
    [`${site}/a/b/-/milestones/4`, { kind: 'milestone', container: 'a/b', number: 4, name: '4' }],
  ])('%s', (text, expected) => {
    expect(parse(text).map(unplaced)).toEqual([expected])
    expect(written(`See (${text}), please.`)).toEqual([text])
    expect(written(`*${text}*\nand **${text}**`)).toEqual([text, text])
    expect(parse(`x ${text}`)[0]).toMatchObject({ start: 2, end: 2 + text.length })
  })

  test('several in their order, at the ends of sentences and beside signs', () => {
    expect(written('@a, @b: see #1, !2 and ~x? Or %y. Thanks @c/d!')).toEqual([
      '@a',
      '@b',
      '#1',
      '!2',
      '~x',
      '%y',
      '@c/d',
    ])
    expect(written('😀@a und „@b“ – @c…')).toEqual(['@a', '@b', '@c'])
  })

  test.each([
    'foo@bar',
    'foo.bar@example.com',
    'é@bar',
    '@user@example.com',
    '@@user',
    'mailto:foo@bar',
    'C#7',
    'issue#12',
    '##12',
    '#12abc',
    '#0',
    '# 12',
    '&#12;',
    '&amp;',
    '$5.99',
    '50%off',
    '~~gone~~',
    '~/folder',
    '%{project_path}',
    '!important',
    String.raw`\@user \#12 \~bug`,
    '[text](https://forge.example/a/b/-/issues/1)',
    '[text](/@user#1)',
    'https://other.example/a/b/-/issues/1',
    'https://forge.example.evil/a/b/-/issues/1',
    'https://forge.example/a/b/-/issues/x',
    'https://forge.example/a/b/-/epics/1',
    'https://other.example/@user',
    'git@host:a/b.git',
  ])('nothing in %s', (text) => {
    expect(written(text)).toEqual([])
    expect(written(`before ${text} behind`)).toEqual([])
  })

  test('the text of a link counts, its destination does not', () => {
    expect(written('[see @a and #1](https://forge.example/x/y) @b')).toEqual(['@a', '#1', '@b'])
  })
})

describe('code', () => {
  test.each([
    ['a span', '`@a` @x ``#1 ` @b`` #2', ['@x', '#2']],
    ['a span over two lines', '`@a\n@b` @x', ['@x']],
    ['an unclosed span is none', '`@a and ``@b', ['@a', '@b']],
    ['a span ends with its paragraph', '`@a\n\n@b`', ['@a', '@b']],
    ['a fence', '```ruby\n@a\n\n@b\n```\n@x', ['@x']],
    ['a fence of tildes with backticks in it', '~~~\n```\n@a\n~~~\n@x', ['@x']],
    ['a longer fence', '````\n```\n@a\n````\n@x', ['@x']],
    ['a fence that is never closed', '@x\n```\n@a', ['@x']],
    ['a fence in a list and in a quote', '- item\n\n  ```\n  @a\n  ```\n\n> ```\n> @b\n> ```\n@x', ['@x']],
    ['three backticks in a line are a span', '```@a``` @x', ['@x']],
    ['indented', '@x\n\n    @a\n\n\t@b\n\n@y', ['@x', '@y']],
    ['an indented line of a paragraph is text', '@x\n    @y', ['@x', '@y']],
    ['an indented line of a list item is text', '- one\n\n    @x\n\ntext\n\n    @a', ['@x']],
    ['with carriage returns', '```\r\n@a\r\n```\r\n@x', ['@x']],
  ])('%s', (_, text, expected) => {
    expect(written(text)).toEqual(expected)
  })
})

describe('comments', () => {
  test.each([
    ['in one line, where the rest counts', '<!-- @a --> @x\n@y', ['@x', '@y']],
    ['over blank lines and code', '@x\n<!--\n@a\n\n```\n@b\n--> @y\n```\n@c', ['@x', '@y']],
    ['that is never closed', '@x\n\n  <!-- @a\n\n@b', ['@x']],
    ['in code is none', '```\n<!--\n```\n@x\n\n    <!--\n\n@y', ['@x', '@y']],
    ['with carriage returns', '<!-- @a -->\r\n\r\n    @b\r\n\r\n@x', ['@x']],
  ])('%s', (_, text, expected) => {
    expect(written(text)).toEqual(expected)
  })
})

const path = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(\/[a-z][a-z0-9_-]{0,8}[a-z]){0,2}$/)
const nested = fc.stringMatching(/^[a-z][a-z0-9]{0,8}(\/[a-z][a-z0-9]{0,8}){1,2}$/)
const number = fc.integer({ min: 1, max: 1_000_000 })
const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}[a-z]$/)
const quoted = fc.stringMatching(/^"[a-z][a-z @#~`-]{0,10}[a-z]"$/)
const reference = fc.oneof(
  path.map((at) => `@${at}`),
  fc
    .tuple(fc.option(nested, { nil: '' }), fc.constantFrom('#', '!', '$', '&'), number)
    .map((all) => all.join('')),
  fc.tuple(fc.option(nested, { nil: '' }), fc.constantFrom('~', '%'), name).map((all) => all.join('')),
  quoted.filter((one) => !one.includes('`')).map((one) => `~${one}`),
)
const noise = fc.constantFrom(' ', ', ', '\n', ' (', ') ', ' text ', ': ', ' a@b.c ', ' `@no` ')

/** What must stand in the stretch of a reference. */
function essence(one: Reference): string {
  if ('path' in one) return one.path
  return 'name' in one ? one.name : String(one.number)
}

describe('any text', () => {
  test('gives back the references that were put into it', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, reference), { maxLength: 12 }), (parts) => {
        const text = `${parts.map(([between, one]) => between + one).join('')} end`
        expect(written(text)).toEqual(parts.map(([, one]) => one))
      }),
    )
  })

  test('gives stretches that begin where they say, one after the other', () => {
    const signs = '@ # ~ % & ! $ " ` `` ``` ]( ) \\ / a 1 . - é 😀 >'.split(' ')
    const pieces = fc.constantFrom(...signs, '\n', '\n\n', '    ', `${site}/a/b`, '> ', '- ')
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
      fc.string({ unit: anyCharacter }),
    )
    fc.assert(
      fc.property(text, (given) => {
        const found = parse(given)
        const ends = [0, ...found.map(({ end }) => end)]
        const wrong = found.filter(
          (one, index) =>
            one.start < (ends[index] ?? 0) || !given.slice(one.start, one.end).includes(essence(one)),
        )
        expect(wrong).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('has no references in code', () => {
    fc.assert(
      fc.property(fc.array(reference, { minLength: 1, maxLength: 5 }), (all) => {
        const code = all.join(' ')
        expect(written(`x \`\`${code}\`\` y`)).toEqual([])
        expect(written(`x\n\n~~~~\n${code}\n~~~~\n`)).toEqual([])
        expect(written(`x\n\n    ${code}\n`)).toEqual([])
      }),
    )
  })
})

describe('a megabyte of hostile text takes no more than its share of time', () => {
  const MEGABYTE = 1_000_000
  const mixed = (piece: string) => piece.repeat(Math.ceil(MEGABYTE / piece.length))
  const runs = () => {
    const all: string[] = []
    for (let length = 1, total = 0; total < MEGABYTE; length += 1, total += length)
      all.push('`'.repeat(length))
    return all.join(' ')
  }
  const pieces = '@ @@a @a. ~" ~"a ` ]( ](a . a/ a@ #1 ~a& ~: > http https://forge.example/a/-/ a/b#'.split(
    ' ',
  )
  test.each([...pieces, '` ``', ' ', '    \n', '```\n', '<!---->', '<!--', 'a\n\n'])(
    '%j repeated',
    (piece) => {
      const started = performance.now()
      parse(`@a ${mixed(piece)} @a`)
      // Linear takes some 0.1 s; quadratic would take minutes.
      expect(performance.now() - started).toBeLessThan(4_000)
    },
  )

  test('backtick runs of every length', () => {
    const started = performance.now()
    parse(runs())
    expect(performance.now() - started).toBeLessThan(4_000)
  })
})
