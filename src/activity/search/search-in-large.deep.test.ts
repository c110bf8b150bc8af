import { beforeAll, expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { namesOf, searchFor } from './test-support.ts'

// Files that git cannot read in the time that it has: 8 GB of them, all of which are the same one.

const FILES = 8_000
const COMMITS = 20_000
/** Milliseconds that git may search, and that everything else may take on a machine that has other work. */
const TIME = 1_000
const ELSE = 1_500

let p: Awaited<ReturnType<typeof w.project>>

beforeAll(async () => {
  p = await w.project()
  const line = 'the usual words of a file that says nothing\n'
  const large = line.repeat(1_000_000 / line.length)
  const files = Array.from({ length: FILES }, (_, index) => `M 100644 :1 large/${index}.txt\n`)
  const history = Array.from({ length: COMMITS }, (_, index) =>
    commits({ branch: 'long', message: `Change ${index}` }),
  )
  await importInto(
    p,
    Buffer.concat([
      commits({ files: { 'begin.txt': 'a needle\n', 'long.txt': 'another one\n' } }),
      Buffer.from(`blob\nmark :1\ndata ${large.length}\n${large}\n`),
      // Without the blank line that ends a commit: its files follow.
      commits({ message: 'Add much' }).subarray(0, -1),
      Buffer.from(files.join('')),
      Buffer.from('\n'),
      Buffer.concat(history),
    ]),
  )
}, 120_000)

test.each([
  ['what is there', 'needle', ['begin.txt']],
  ['what is not there', 'nobodyhasthis', []],
  ['hostile words', 'a '.repeat(500), []],
])(
  'a search of files for %s ends after a second with what was found, and says so',
  async (_, words, found) => {
    const began = performance.now()
    const answer = await searchFor(p.reporter, `/projects/${p.id}`, 'blobs', words)
    const time = performance.now() - began
    console.info(`${words.slice(0, 20)}: ${time.toFixed(0)} ms`)
    expect([answer.status, namesOf(answer), answer.headers.get('x-search-incomplete')]).toEqual([
      200,
      found,
      'true',
    ])
    expect(answer.headers.get('x-total')).toBeNull()
    expect(time).toBeGreaterThan(TIME / 2)
    expect(time).toBeLessThan(TIME + ELSE)
  },
)

test('a search for what is everywhere fills its page sooner', async () => {
  const { body, headers } = await searchFor(p.reporter, `/projects/${p.id}`, 'blobs', 'usual')
  expect([body.length, headers.get('x-next-page')]).toEqual([20, '2'])
})

test('a search of 20,000 commits ends in time', async () => {
  const began = performance.now()
  const { status } = await searchFor(p.reporter, `/projects/${p.id}`, 'commits', 'nobodyhasthis', '&ref=long')
  expect(status).toBe(200)
  expect(performance.now() - began).toBeLessThan(TIME + ELSE)
})
