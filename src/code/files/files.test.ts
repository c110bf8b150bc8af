import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { commits, importInto, type ImportedFile } from '#test/repositories.ts'
import { w } from '#test/world.ts'

async function withFiles(files: Readonly<Record<string, ImportedFile>>) {
  const project = await w.project()
  const stream = commits({ message: 'First', files }, { message: 'Second', files: { other: 'x' } })
  const repository = await importInto(project, stream)
  const { body } = await project.reporter.get(`/projects/${project.id}/repository/commits`)
  const [second, first] = body.map(({ id }: { id: string }) => id)
  return { ...project, repository, files: `/projects/${project.id}/repository/files`, first, second }
}

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const idOf = (content: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')

const text = 'Grüße\n'

describe('GET /projects/:id/repository/files/:file_path', () => {
  test('answers with a file and what is known of it', async () => {
    const { reporter, files, first, second } = await withFiles({ 'src/ä b.txt': text })
    const path = `${files}/src%2F%C3%A4%20b.txt`
    const { status, body, headers } = await reporter.get(`${path}?ref=main`)
    expect([status, body]).toEqual([
      200,
      {
        file_name: 'ä b.txt',
        file_path: 'src/ä b.txt',
        size: 8,
        encoding: 'base64',
        content: Buffer.from(text).toString('base64'),
        content_sha256: sha256(text),
        ref: 'main',
        blob_id: idOf(text),
        commit_id: second,
        last_commit_id: first,
        execute_filemode: false,
      },
    ])
    const expected = {
      'x-gitlab-blob-id': idOf(text),
      'x-gitlab-commit-id': second,
      'x-gitlab-content-sha256': sha256(text),
      'x-gitlab-encoding': 'base64',
      'x-gitlab-execute-filemode': 'false',
      'x-gitlab-file-name': '%C3%A4 b.txt',
      'x-gitlab-file-path': 'src/%C3%A4 b.txt',
      'x-gitlab-last-commit-id': first,
      'x-gitlab-ref': 'main',
      'x-gitlab-size': '8',
    }
    const head = await reporter.head(`${path}?ref=main`)
    const raw = await reporter.get(`${path}/raw?ref=main`)
    expect([head.status, head.text, raw.status, raw.text]).toEqual([200, '', 200, text])
    for (const sent of [headers, head.headers, raw.headers])
      expect(Object.fromEntries(sent)).toMatchObject(expected)
    expect(raw.headers.get('content-disposition')).toBe(
      `inline; filename="__b.txt"; filename*=UTF-8''%C3%A4%20b.txt`,
    )
  })

  test('reads any commit, and knows executables and symbolic links', async () => {
    const { reporter, files, first } = await withFiles({
      run: { mode: '100755', data: '#!' },
      link: { mode: '120000', data: '/etc/passwd' },
    })
    for (const ref of ['main', 'HEAD', first, 'main~1', 'refs/heads/main']) {
      const { status, body } = await reporter.get(`${files}/run?ref=${ref}`)
      expect([status, body.execute_filemode, body.ref]).toEqual([200, true, ref])
    }
    expect((await reporter.get(`${files}/other?ref=${first}`)).status).toBe(404)
    expect((await reporter.get(`${files}/link/raw`)).text).toBe('/etc/passwd')
  })

  test('sends bytes of every kind as they are', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'1'.repeat(64)}\nsize 5\n`
    const latin = Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65])
    const large = Buffer.from(`${'0123456789'.repeat(150_000)}!`)
    const { reporter, files } = await withFiles({
      bytes: Buffer.from([0, 255, 1]),
      latin,
      pointer,
      large,
      empty: '',
    })
    const type = async (name: string) =>
      (await reporter.get(`${files}/${name}/raw`)).headers.get('content-type')
    expect(await type('bytes')).toBe('application/octet-stream')
    expect(await type('latin')).toBe('text/plain')
    expect(await type('pointer')).toBe('text/plain; charset=utf-8')
    expect((await reporter.get(`${files}/pointer/raw?lfs=true`)).text).toBe(pointer)
    const { body } = await reporter.get(`${files}/bytes?ref=main`)
    expect([body.content, body.content_sha256]).toEqual(['AP8B', sha256(Buffer.from([0, 255, 1]))])
    const all = await reporter.get(`${files}/large?ref=main`)
    expect([all.body.size, all.body.content_sha256]).toEqual([large.length, sha256(large)])
    expect(Buffer.from(all.body.content, 'base64').equals(large)).toBe(true)
    expect(all.headers.get('x-gitlab-content-sha256')).toBe(sha256(large))
    expect((await reporter.get(`${files}/large/raw`)).text.length).toBe(large.length)
    const head = await reporter.head(`${files}/large/raw`)
    expect([head.headers.get('content-length'), head.headers.get('x-gitlab-size')]).toEqual([
      '1500001',
      '1500001',
    ])
    expect((await reporter.get(`${files}/empty?ref=main`)).body).toMatchObject({ size: 0, content: '' })
    expect((await reporter.get(`${files}/empty/raw`)).text).toBe('')
  })

  test('knows when the client has it already', async () => {
    const { reporter, files } = await withFiles({ a: 'a' })
    const { headers } = await reporter.get(`${files}/a/raw`)
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } }
    expect((await reporter.get(`${files}/a/raw`, again)).status).toBe(304)
    const json = await reporter.get(`${files}/a?ref=main`)
    const tag = { headers: { 'if-none-match': json.headers.get('etag') ?? '' } }
    expect((await reporter.get(`${files}/a?ref=main`, tag)).status).toBe(304)
  })

  test('refuses what is not there', async () => {
    const { reporter, files } = await withFiles({
      'dir/a': 'a',
      module: { mode: '160000', data: '1'.repeat(40) },
    })
    for (const end of ['', '/raw', '/blame']) {
      const answer = async (path: string, ref = 'main') => {
        const { status, body } = await reporter.get(`${files}/${path}${end}?ref=${ref}`)
        return [status, body.message]
      }
      for (const path of [
        'nowhere',
        'dir',
        'module',
        '..%2Fdir%2Fa',
        'dir%2F',
        '-a',
        '%3A(glob)*',
        'dir%2Fa%2Fb',
      ]) {
        expect([path, ...(await answer(path))]).toEqual([path, 404, '404 File Not Found'])
      }
      for (const ref of ['nowhere', '--all', 'main:dir', 'refs/keep-around/x']) {
        expect(await answer('dir%2Fa', ref)).toEqual([404, '404 Commit Not Found'])
      }
    }
    // A leading slash is no part of a path.
    expect((await reporter.get(`${files}/%2Fdir%2Fa?ref=main`)).status).toBe(200)
    expect((await reporter.get(`${files}/dir%2Fa`)).body.error).toBe('ref is missing')
    expect((await reporter.get(`${files}/dir/a?ref=main`)).status).toBe(404)
    expect((await reporter.head(`${files}/nowhere?ref=main`)).status).toBe(404)
  })
})

describe('GET /projects/:id/repository/files/:file_path/blame', () => {
  async function withLines() {
    const project = await w.project()
    const stream = commits(
      { message: 'First', files: { a: 'one\ntwo\nthree\n' } },
      { message: 'Second', files: { a: 'one\n2\nthree\n' }, author: 'Bob <bob@example.com>' },
    )
    await importInto(project, stream)
    return { ...project, blame: `/projects/${project.id}/repository/files/a/blame` }
  }
  type Range = { commit: { title: string }; lines: string[] }
  const short = (body: Range[]) => body.map(({ commit, lines }) => [commit.title, lines])

  test('tells which commit each line comes from', async () => {
    const { reporter, blame } = await withLines()
    const { status, body, headers } = await reporter.get(`${blame}?ref=main`)
    expect([status, short(body)]).toEqual([
      200,
      [
        ['First', ['one']],
        ['Second', ['2']],
        ['First', ['three']],
      ],
    ])
    expect(body[1].commit).toMatchObject({ author_name: 'Bob', message: 'Second' })
    expect(headers.get('x-gitlab-file-path')).toBe('a')
    expect(short((await reporter.get(`${blame}?ref=main~1`)).body)).toEqual([
      ['First', ['one', 'two', 'three']],
    ])
    expect(short((await reporter.get(`${blame}?ref=main&per_page=1&page=2`)).body)).toEqual([
      ['Second', ['2']],
    ])
    expect((await reporter.get(`${blame}?ref=main&page=1`)).headers.get('x-total')).toBe('3')
    const head = await reporter.head(`${blame}?ref=main`)
    expect([head.status, head.headers.get('x-gitlab-size')]).toEqual([200, '12'])
  })

  test('looks at a range of lines', async () => {
    const { reporter, blame } = await withLines()
    const range = async (start: number, end: number) =>
      reporter.get(`${blame}?ref=main&range[start]=${start}&range[end]=${end}`)
    expect(short((await range(2, 3)).body)).toEqual([
      ['Second', ['2']],
      ['First', ['three']],
    ])
    expect(short((await range(3, 99)).body)).toEqual([['First', ['three']]])
    expect((await range(4, 99)).body).toEqual([])
    expect((await range(3, 2)).body.error).toBe('range[end] is before range[start]')
    expect((await range(0, 2)).status).toBe(400)
    expect((await reporter.get(`${blame}?ref=main&range[start]=1`)).body.error).toBe('range[end] is missing')
  })
})
