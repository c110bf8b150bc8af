import { expect, it } from 'vitest'
import { commits, type ImportedFile, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { changedFiles } from './changed-files.ts'
import { diff } from './diff.ts'
import { patchesOf } from './patches.ts'
import { resolveCommit } from './resolve.ts'

type Files = Readonly<Record<string, ImportedFile | null>>

/** More than git compares line by line. */
const large = Buffer.alloc(20 * 1024 * 1024 + 1)

/** Two states of one repository. */
async function changed(before: Files, after: Files) {
  const repository = await importInto(await w.project(), commits({ files: before }, { files: after }))
  const id = async (name: string) => (await resolveCommit(repository, name)) ?? ''
  return [repository, await id('main~1'), await id('main')] as const
}

const shown = async (...compared: Awaited<ReturnType<typeof changed>>) =>
  (await diff(...compared)).files.map(({ newPath, patch, collapsed }) => [newPath, patch, collapsed])

const added = (text: string) => `@@ -0,0 +1 @@\n+${text}\n`

it('shows each file its own patch where a folder takes the place of a large file', async () => {
  const files = { 'a/evil.js': 'evil\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }
  expect(await shown(...(await changed({ a: large }, { a: null, ...files })))).toEqual([
    ['a', 'Binary files a/a and /dev/null differ\n', false],
    ['a/evil.js', added('evil'), false],
    ['b.txt', added('b'), false],
    ['c.txt', added('c'), false],
  ])
  // And the other way round.
  expect(await shown(...(await changed({ 'a/b': 'b\n' }, { 'a/b': null, a: large, c: 'c\n' })))).toEqual([
    ['a', 'Binary files /dev/null and b/a differ\n', false],
    ['a/b', '@@ -1 +0,0 @@\n-b\n', false],
    ['c', added('c'), false],
  ])
})

it('shows each file its own patch where a large file decides whether git looks for renames', async () => {
  const text = (of: number, end: string) => `${`line of ${of}\n`.repeat(9)}${end}\n`
  const all = (folder: string, make: (of: number) => string | null) =>
    Object.fromEntries(Array.from({ length: 400 }, (_, of) => [`${folder}/${of}`, make(of)]))
  const compared = await changed(
    all('old', (of) => text(of, 'before')),
    { ...all('old', () => null), ...all('new', (of) => text(of, 'after')), large },
  )
  const { files } = await diff(...compared)
  expect(files).toHaveLength(801)
  for (const { newPath, status, patch } of files) {
    const [folder, of] = newPath.split('/')
    const wanted = folder === 'new' ? `+line of ${of}\n` : folder === 'old' ? `-line of ${of}\n` : 'Binary'
    expect([newPath, status, patch.includes(wanted)]).toEqual([
      newPath,
      folder === 'old' ? 'deleted' : 'added',
      true,
    ])
  }
})

it('takes renames beside a large file for files that go and come', async () => {
  const same = 'one\ntwo\nthree\nfour\n'
  const compared = await changed({ old: same }, { old: null, young: `${same}five\n`, zeros: large })
  expect((await shown(...compared)).map(([path]) => path)).toEqual(['old', 'young', 'zeros'])
})

it('recognizes names with blanks, quotes, line breaks and bytes that are no UTF-8', async () => {
  const names = ['a b/c b/d', 'tab\t', 'quote"\\', 'line\nbreak', '\u00E4', 'BYTE']
  const moved = '1\n2\n3\n4\n'
  const stream = commits(
    { files: { 'x y': moved } },
    {
      files: {
        'x y': null,
        'x\tz': `${moved}5\n`,
        ...Object.fromEntries(names.map((name) => [name, `${name.length}\n`])),
      },
    },
  )
  const bytes = Buffer.from(stream.toString('latin1').replace('BYTE', '\u00FF'), 'latin1')
  const repository = await importInto(await w.project(), bytes)
  const id = async (name: string) => (await resolveCommit(repository, name)) ?? ''
  const { files } = await diff(repository, await id('main~1'), await id('main'))
  expect(files.map(({ newPath }) => newPath).toSorted()).toEqual(
    [...names.filter((name) => name !== 'BYTE'), '\uFFFD', 'x\tz'].toSorted(),
  )
  expect(files.filter(({ patch, collapsed }) => patch === '' || collapsed)).toEqual([])
})

it('shows no patch from the first one on that is about another file', async () => {
  const [repository, before, after] = await changed({}, { a: 'a\n', b: 'b\n', c: 'c\n' })
  const changes = await changedFiles(repository, before, after)
  const { output } = await repository.git.capture(repository, [
    'diff-tree',
    '-r',
    '--patch',
    before,
    after,
    '--',
    'a',
    'c',
  ])
  const stream = async function* () {
    yield output
  }
  const patches = []
  for await (const patch of patchesOf(stream(), changes, new Set(), 1_000)) patches.push(patch)
  expect(patches).toEqual([added('a')])
})
