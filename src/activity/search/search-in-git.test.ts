import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { namesOf, searchFor } from './test-support.ts'

let p: Awaited<ReturnType<typeof w.project>>
let at: string

const lines = (count: number, of: (number: number) => string) =>
  Array.from({ length: count }, (_, index) => `${of(index + 1)}\n`).join('')

beforeAll(async () => {
  p = await w.project()
  at = `/projects/${p.id}`
  const files = {
    'src/Main.test.ts': lines(30, (n) => (n === 5 || n === 20 ? `say Needle ${n}` : `line ${n}`)),
    'README.md': 'needle at once\n',
    '.hidden': 'Größe needle\n',
    'with\nbreak': 'needle\n',
    'binary.bin': Buffer.from('needle\0needle'),
    'percent.txt': '100% of a_b\\c "quoted" .*\n',
    'long.txt': `${'x'.repeat(100_000)}\nmany words: ${'needless '.repeat(20_000)}`,
  }
  await importInto(
    p,
    Buffer.concat([
      commits({ message: 'Add a needle\n\nIt has *stars* and 100%.\n', files }),
      commits({ message: 'Say NEEDLE again', files: { 'README.md': 'needle at once, and twice\n' } }),
      Buffer.from('reset refs/heads/other\nfrom refs/heads/main\n\n'),
      commits({ branch: 'other', message: 'Another branch', files: { 'other.txt': 'a needle elsewhere\n' } }),
    ]),
  )
})

const find = (scope: string, search: string, more = '', by: Client = p.reporter) =>
  searchFor(by, at, scope, search, more)

describe('files', () => {
  test('shows the lines with the words, whatever their case, and those around them', async () => {
    const { status, body, headers } = await find('blobs', 'say needle')
    expect([status, headers.get('x-total'), headers.get('x-search-incomplete')]).toEqual([200, '2', null])
    expect(body).toEqual([
      {
        basename: 'src/Main.test',
        data: 'line 3\nline 4\nsay Needle 5\nline 6\nline 7\n',
        path: 'src/Main.test.ts',
        filename: 'src/Main.test.ts',
        id: null,
        ref: 'main',
        startline: 3,
        project_id: p.id,
      },
      expect.objectContaining({ startline: 18, path: 'src/Main.test.ts' }),
    ])
  })

  test('finds words in all files that are text, with whatever names', async () => {
    const { body } = await find('blobs', 'needle')
    const paths = body.map((one: { path: string }) => one.path)
    const main = 'src/Main.test.ts'
    expect(paths).toEqual(['.hidden', 'README.md', 'long.txt', main, main, 'with\nbreak'])
    const long = body[2]
    expect(long.data.split('\n').map((line: string) => line.length)).toEqual([500, 500, 0])
    expect(namesOf(await find('blobs', 'GRÖß'))).toEqual(['.hidden'])
  })

  test('takes what it is given for a text and not for a pattern', async () => {
    for (const text of ['100%', 'a_b\\c', '"quoted"', '.*', '% of'])
      expect([text, namesOf(await find('blobs', text))]).toEqual([text, ['percent.txt']])
    for (const text of [
      'n.edle',
      '[n]eedle',
      '^needle',
      '-e',
      '--open-files-in-pager=id',
      'needle\nline',
      '(?{})',
    ])
      expect([text, (await find('blobs', text)).body]).toEqual([text, []])
  })

  test('searches another branch, and pages', async () => {
    const there = await find('blobs', 'elsewhere', '&ref=other')
    expect(there.body).toEqual([expect.objectContaining({ path: 'other.txt', ref: 'other' })])
    expect((await find('blobs', 'elsewhere')).body).toEqual([])
    expect((await find('blobs', 'needle', '&ref=missing')).status).toBe(404)
    const page = await find('blobs', 'needle', '&per_page=2&page=2')
    expect(namesOf(page)).toEqual(['long.txt', 'src/Main.test.ts'])
    expect([page.headers.get('x-next-page'), page.headers.get('x-search-incomplete')]).toEqual(['3', null])
    const last = await find('blobs', 'needle', '&per_page=2&page=3')
    expect([namesOf(last).length, last.headers.get('x-total')]).toEqual([2, '6'])
    expect(
      (await find('blobs', 'needle', '&per_page=100&page=10')).headers.get('x-search-incomplete'),
    ).toBeNull()
    const beyond = await find('blobs', 'needle', '&per_page=100&page=11')
    expect([beyond.body, beyond.headers.get('x-search-incomplete')]).toEqual([[], 'true'])
  })
})

describe('commits', () => {
  test('finds messages, newest first', async () => {
    const { body, headers } = await find('commits', 'needle')
    expect(namesOf({ body } as never)).toEqual(['Say NEEDLE again', 'Add a needle'])
    expect(body[0]).toMatchObject({ project_id: p.id, author_name: 'Ada', web_url: expect.any(String) })
    expect(headers.get('x-search-incomplete')).toBeNull()
    expect(namesOf(await find('commits', '*stars* and 100%'))).toEqual(['Add a needle'])
    expect(namesOf(await find('commits', 'another', '&ref=other'))).toEqual(['Another branch'])
    expect(namesOf(await find('commits', 'needle', '&per_page=1&page=2'))).toEqual(['Add a needle'])
    for (const text of ['n.edle', 'needle\nagain', '--all', '^Say'])
      expect([text, (await find('commits', text)).body]).toEqual([text, []])
  })
})

describe('empty repositories and wikis', () => {
  test('have nothing', async () => {
    const empty = await w.project()
    for (const scope of ['blobs', 'commits', 'wiki_blobs'])
      for (const more of ['', '&ref=main']) {
        const { status, body, headers } = await searchFor(
          empty.reporter,
          `/projects/${empty.id}`,
          scope,
          'needle',
          more,
        )
        expect([status, body, headers.get('x-total')]).toEqual([200, [], '0'])
      }
  })

  test('wikis are searched as repositories are', async () => {
    await p.developer.post(`${at}/wikis`, { title: 'Home', content: 'A needle in the wiki' })
    const { body } = await find('wiki_blobs', 'NEEDLE')
    expect(body).toEqual([
      expect.objectContaining({
        basename: 'Home',
        data: 'A needle in the wiki\n',
        path: 'Home.md',
        startline: 1,
        ref: 'main',
        project_id: p.id,
      }),
    ])
    await p.maintainer.put(at, { wiki_access_level: 'disabled', repository_access_level: 'disabled' })
    for (const scope of ['wiki_blobs', 'blobs', 'commits'])
      expect((await find(scope, 'needle')).body).toEqual([])
  })
})
