import { expect, test } from 'vitest'
import { importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

const SIZE = 101 * 1024 * 1024

async function* zeros(): AsyncGenerator<Buffer> {
  yield Buffer.from(
    'commit refs/heads/main\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n' +
      `M 644 inline zeros\ndata ${SIZE}\n`,
  )
  const piece = Buffer.alloc(1024 * 1024)
  for (let sent = 0; sent < SIZE; sent += piece.length) yield piece
  yield Buffer.from('\n')
}

test('a file of more than 100 MB is refused as JSON and by lines, and sent as bytes', async () => {
  const project = await w.project()
  const { row } = await importInto(project, zeros())
  const api = `/projects/${project.id}/repository`
  const { developer } = project
  const file = `${api}/files/zeros`
  expect(await developer.get(`${file}?ref=main`)).toMatchObject({
    status: 413,
    body: { message: `413 Request Entity Too Large - the file has ${SIZE} bytes: ask for it with /raw` },
  })
  expect((await developer.get(`${file}/blame?ref=main`)).body.message).toBe(
    `413 Request Entity Too Large - the file has ${SIZE} bytes, too many to compare its lines`,
  )
  const { status, headers } = await developer.head(`${file}/raw?ref=main`)
  expect([status, headers.get('content-length'), headers.get('x-gitlab-size')]).toEqual([
    200,
    String(SIZE),
    String(SIZE),
  ])
  expect(headers.has('x-gitlab-content-sha256')).toBe(false)
  const blob = headers.get('x-gitlab-blob-id')
  expect((await developer.get(`${api}/blobs/${blob}`)).status).toBe(413)
  const answer = await fetch(`${w.url}/api/v4${file}/raw?ref=main`, { headers: developer.headers })
  let size = 0
  for await (const piece of answer.body ?? []) size += piece.length
  expect(size).toBe(SIZE)
  expect((await developer.get(`${api}/commits/${row.last_commit_sha}/diff`)).body).toMatchObject([
    { new_path: 'zeros', diff: expect.stringContaining('Binary files') },
  ])
})
