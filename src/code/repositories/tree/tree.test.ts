import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { linkTo } from '#test/client.ts'
import { commits, importInto, type ImportedFile } from '#test/repositories.ts'
import { w } from '#test/world.ts'

async function withFiles(files: Readonly<Record<string, ImportedFile>>) {
  const project = await w.project()
  const repository = await importInto(project, commits({ files }))
  return { ...project, repository, tree: `/projects/${project.id}/repository/tree` }
}

const idOf = (content: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')

describe('GET /projects/:id/repository/tree', () => {
  test('lists folders, files and submodules', async () => {
    const module = '1234567890'.repeat(4)
    const { reporter, tree } = await withFiles({
      'b.txt': 'b',
      'src/a.ts': 'a',
      'run.sh': { mode: '100755', data: '#!' },
      link: { mode: '120000', data: 'b.txt' },
      module: { mode: '160000', data: module },
    })
    const { status, body, headers } = await reporter.get(tree)
    expect(status).toBe(200)
    expect(body).toEqual([
      { id: expect.stringMatching(/^[0-9a-f]{40}$/), name: 'src', type: 'tree', path: 'src', mode: '040000' },
      { id: idOf('b'), name: 'b.txt', type: 'blob', path: 'b.txt', mode: '100644' },
      { id: idOf('b.txt'), name: 'link', type: 'blob', path: 'link', mode: '120000' },
      { id: idOf('#!'), name: 'run.sh', type: 'blob', path: 'run.sh', mode: '100755' },
      { id: module, name: 'module', type: 'commit', path: 'module', mode: '160000' },
    ])
    expect([headers.get('x-total'), headers.get('x-page')]).toEqual(['5', '1'])
    const inside = { id: idOf('a'), name: 'a.ts', type: 'blob', path: 'src/a.ts', mode: '100644' }
    for (const path of ['src', 'src/', '/src']) {
      expect((await reporter.get(`${tree}?path=${path}`)).body).toEqual([inside])
    }
    const { body: all } = await reporter.get(`${tree}?recursive=true`)
    expect(all.map((entry: { path: string }) => entry.path)).toEqual([
      'b.txt',
      'link',
      'module',
      'run.sh',
      'src',
      'src/a.ts',
    ])
  })

  test('reads any branch, tag or commit', async () => {
    const { id, reporter, repository, tree } = await withFiles({ a: '1' })
    await importInto({ id }, commits({ branch: 'feature/x', files: { b: '2' } }))
    const paths = async (query: string) =>
      (await reporter.get(`${tree}?${query}`)).body.map((entry: { path: string }) => entry.path)
    expect(await paths('ref=main')).toEqual(['a'])
    expect(await paths('ref=HEAD')).toEqual(['a'])
    expect(await paths('ref=feature/x')).toEqual(['b'])
    expect(await paths('ref=refs/heads/feature/x')).toEqual(['b'])
    expect(await paths(`ref=${repository.row.last_commit_sha}`)).toEqual(['a'])
    expect(await paths(`ref=${repository.row.last_commit_sha?.slice(0, 10)}`)).toEqual(['a'])
  })

  test('answers 404 for what is not there', async () => {
    const { reporter, tree } = await withFiles({
      'a.txt': '1',
      module: { mode: '160000', data: '1'.repeat(40) },
    })
    const missing = [
      'path=nowhere',
      'path=a.txt',
      'path=module',
      'path=../x',
      'path=a//b',
      'ref=nowhere',
      'ref=--all',
    ]
    for (const query of missing) {
      const { status, body } = await reporter.get(`${tree}?${query}`)
      const what = query.startsWith('path') ? 'invalid revision or path' : 'Tree'
      expect([query, status, body]).toEqual([query, 404, { message: `404 ${what} Not Found` }])
    }
  })

  test('pages by number', async () => {
    const { reporter, tree } = await withFiles(
      Object.fromEntries(
        Array.from({ length: 25 }, (_, index) => [`f${String(index).padStart(2, '0')}`, 'x']),
      ),
    )
    for (const recursive of [false, true]) {
      const { body, headers } = await reporter.get(`${tree}?page=3&per_page=10&recursive=${recursive}`)
      expect(body.map((entry: { path: string }) => entry.path)).toEqual(['f20', 'f21', 'f22', 'f23', 'f24'])
      expect([headers.get('x-total'), headers.get('x-total-pages'), headers.get('x-next-page')]).toEqual([
        '25',
        '3',
        '',
      ])
    }
    const { status, body } = await reporter.get(`${tree}?page=1000&per_page=100`)
    expect([status, body.error]).toEqual([
      405,
      'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Tree. ' +
        'Remaining records can be retrieved using keyset pagination.',
    ])
  })

  test('pages by the last entry, also through files with the same content', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`d${index % 3}/${index}`, index < 8 ? 'same' : `${index}`]),
    )
    const { reporter, stranger, tree } = await withFiles(files)
    const all = (await reporter.get(`${tree}?recursive=true&per_page=100`)).body
    const found: unknown[] = []
    let next: string | undefined = `${tree}?pagination=keyset&recursive=true&per_page=2`
    for (let pages = 0; next !== undefined && pages < 20; pages += 1) {
      const answer = await reporter.get(next)
      expect(answer.headers.get('x-page')).toBeNull()
      found.push(...answer.body)
      next = linkTo('next', answer)
    }
    expect(found).toEqual(all)
    // Clients may also name the last entry themselves.
    const [first, ...rest] = (await reporter.get(`${tree}?pagination=keyset`)).body
    const after = await reporter.get(`${tree}?pagination=keyset&page_token=${first.id}`)
    expect(after.body).toEqual(rest)
    expect(linkTo('next', after)).toBeUndefined()
    for (const token of ['x', '1'.repeat(40), `${first.id}-7`]) {
      const { status, body } = await reporter.get(`${tree}?pagination=keyset&page_token=${token}`)
      expect([status, body.error]).toEqual([400, 'page_token is invalid'])
    }
    expect((await stranger.get(tree)).status).toBe(404)
  })

  test('shows names of any bytes', async () => {
    const names = [
      'é',
      'a b',
      '--all',
      '-x',
      ':(glob)*',
      'new\nline',
      'tab\t',
      '"quoted"',
      '💥',
      "it's",
      '%2e',
      'HEAD',
    ]
    const { reporter, repository, tree } = await withFiles(
      Object.fromEntries(names.map((name) => [name, name])),
    )
    for (const query of ['', '?recursive=true']) {
      const { body } = await reporter.get(`${tree}${query}`)
      expect(body.map((entry: { name: string }) => entry.name).toSorted()).toEqual(names.toSorted())
    }
    // This one is not readable text.
    const { git } = repository
    const blob = idOf('é')
    const line = Buffer.concat([Buffer.from(`100644 blob ${blob}\t`), Buffer.from([0x61, 0xff, 0x62])])
    const root = await git.text(repository, ['mktree'], { input: line })
    const args = ['commit-tree', '-m', 'x', root.trim()]
    const author = {
      GIT_AUTHOR_NAME: 'A',
      GIT_AUTHOR_EMAIL: 'a',
      GIT_COMMITTER_NAME: 'A',
      GIT_COMMITTER_EMAIL: 'a',
    }
    const commit = (await git.text(repository, args, { environment: author })).trim()
    for (const query of ['', '&recursive=true', '&pagination=keyset']) {
      const { body } = await reporter.get(`${tree}?ref=${commit}${query}`)
      expect(body.map((entry: { name: string }) => entry.name)).toEqual(['a\ufffdb'])
    }
  })
})

describe('GET /projects/:id/repository/blobs/:sha', () => {
  test('answers with the content of a blob', async () => {
    const { id, reporter } = await withFiles({ a: 'hello\n' })
    const sha = idOf('hello\n')
    const { status, body } = await reporter.get(`/projects/${id}/repository/blobs/${sha}`)
    expect([status, body]).toEqual([200, { size: 6, encoding: 'base64', content: 'aGVsbG8K', sha }])
    const raw = await reporter.get(`/projects/${id}/repository/blobs/${sha}/raw`)
    expect([raw.status, raw.text]).toEqual([200, 'hello\n'])
    expect(raw.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(raw.headers.get('content-disposition')).toBe(`inline; filename="${sha}"`)
    const head = await reporter.head(`/projects/${id}/repository/blobs/${sha}/raw`)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '6'])
    const headers = { 'if-none-match': raw.headers.get('etag') ?? '' }
    expect((await reporter.get(`/projects/${id}/repository/blobs/${sha}/raw`, { headers })).status).toBe(304)
  })

  test('streams a large blob', async () => {
    const content = 'x'.repeat(99) + '\0' + 'é'.repeat(1_000_000)
    const { id, reporter } = await withFiles({ large: content })
    const path = `/projects/${id}/repository/blobs/${idOf(content)}`
    const { body } = await reporter.get(path)
    expect(body.size).toBe(2_000_100)
    expect(Buffer.from(body.content, 'base64').equals(Buffer.from(content))).toBe(true)
    const raw = await reporter.get(`${path}/raw`)
    expect(raw.text === content).toBe(true)
    expect(raw.headers.get('content-type')).toBe('application/octet-stream')
    expect((await reporter.head(`${path}/raw`)).headers.get('content-length')).toBe('2000100')
    expect((await reporter.head(path)).status).toBe(200)
  })

  test('answers 404 for what is no blob', async () => {
    const { id, reporter, repository } = await withFiles({ a: 'x' })
    for (const sha of [
      '1'.repeat(40),
      repository.row.last_commit_sha,
      'main',
      'HEAD',
      '--all',
      'main:a',
      'a%00b',
    ]) {
      for (const end of ['', '/raw']) {
        const { status } = await reporter.get(`/projects/${id}/repository/blobs/${sha}${end}`)
        expect([sha, status]).toEqual([sha, sha === 'a%00b' ? 400 : 404])
      }
    }
  })
})
