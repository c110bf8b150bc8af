import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import type { Actor } from '#test/world.ts'
import { w } from '#test/world.ts'

const run = promisify(execFile)

async function withFiles() {
  const project = await w.project({ path: `arc-${Date.now()}` })
  const files = {
    'README.md': 'hello\n',
    'src/a.ts': 'a\n',
    'src/deep/b.ts': 'b\n',
    'run.sh': { mode: '100755', data: '#!/bin/sh\n' },
    out: { mode: '120000', data: '../../etc/passwd' },
  }
  const repository = await importInto(project, commits({ files }))
  const sha = repository.row.last_commit_sha ?? ''
  return {
    ...project,
    sha,
    archive: `/projects/${project.id}/repository/archive`,
    path: project.fullPath.split('/').at(-1),
  }
}

async function bytesOf(by: Actor, path: string): Promise<{ answer: Response; bytes: Buffer }> {
  const answer = await fetch(`${w.url}/api/v4${path}`, { headers: by.headers })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** The names in an archive, as the programs for its format tell them. */
async function namesIn(bytes: Buffer, format: 'tar' | 'zip'): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'archive-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'file')
  await writeFile(file, bytes)
  if (format === 'tar') return (await run('tar', ['tf', file])).stdout.trim().split('\n')
  const script = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
  return (await run('/usr/bin/python3', ['-c', script, file])).stdout.trim().split('\n')
}

describe('GET /projects/:id/repository/archive', () => {
  const formats = ['tar.gz', 'tar.bz2', 'tbz', 'tbz2', 'tb2', 'bz2', 'tar', 'zip'] as const

  test.each([undefined, ...formats])('packs everything (%s)', async (format) => {
    const { reporter, archive, sha, path } = await withFiles()
    const url = format === undefined ? archive : `${archive}.${format}`
    const { answer, bytes } = await bytesOf(reporter, url)
    expect(answer.status).toBe(200)
    const title = `${path}-main-${sha}`
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="${title}.${format ?? 'tar.gz'}"`,
    )
    expect(answer.headers.get('content-type')).toBe(
      format === 'zip' ? 'application/zip' : 'application/octet-stream',
    )
    const names = await namesIn(bytes, format === 'zip' ? 'zip' : 'tar')
    expect(names.filter((name) => !name.endsWith('/')).toSorted()).toEqual(
      ['README.md', 'out', 'run.sh', 'src/a.ts', 'src/deep/b.ts'].map((name) => `${title}/${name}`),
    )
    const again = await bytesOf(reporter, url)
    expect(again.bytes.equals(bytes)).toBe(true)
    const head = await reporter.head(url)
    expect([head.status, head.headers.get('content-disposition')]).toEqual([
      200,
      answer.headers.get('content-disposition'),
    ])
  })

  test('packs a folder of a commit, without some paths', async () => {
    const { reporter, archive, sha, path } = await withFiles()
    const names = async (query: string) =>
      (await namesIn((await bytesOf(reporter, `${archive}.tar?${query}`)).bytes, 'tar')).filter(
        (name) => !name.endsWith('/'),
      )
    expect(await names(`sha=${sha}&path=src/deep/`)).toEqual([`${path}-${sha}-src-deep/src/deep/b.ts`])
    expect(await names(`sha=main&path=README.md`)).toEqual([`${path}-main-${sha}-README.md/README.md`])
    expect(await names('exclude_paths=src/deep,out&path=src')).toEqual([`${path}-main-${sha}-src/src/a.ts`])
    expect(await names('exclude_paths[]=*.ts&path=src/deep')).toHaveLength(1)
  })

  test('refuses what is not there', async () => {
    const { id, reporter, archive } = await withFiles()
    for (const query of [
      'sha=nowhere',
      'path=nowhere',
      'path=../x',
      'sha=--output=/tmp/x',
      'path=:(glob)*',
    ]) {
      const { status, body } = await reporter.get(`${archive}?${query}`)
      expect([query, status, body]).toEqual([query, 404, { message: '404 File Not Found' }])
    }
    expect((await reporter.get(`/projects/${id}/repository/archive.exe`)).status).toBe(404)
  })

  test('ends the process when the client leaves', async () => {
    const project = await w.project()
    const noise = Buffer.alloc(8_000_000, 'x')
    const repository = await importInto(
      project,
      commits({ files: { a: noise, b: Buffer.concat([noise, noise]) } }),
    )
    const left = new AbortController()
    const url = `${w.url}/api/v4/projects/${project.id}/repository/archive.tar`
    const answer = await fetch(url, { headers: project.reporter.headers, signal: left.signal })
    expect(answer.status).toBe(200)
    left.abort()
    await expect.poll(() => repository.git.usage().find(({ lane }) => lane === 'transfer')?.running).toBe(0)
  })

  test('keeps the mode of files', async () => {
    const { reporter, archive } = await withFiles()
    const { bytes } = await bytesOf(reporter, `${archive}.tar`)
    const folder = await mkdtemp(join(tmpdir(), 'archive-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'file'), bytes)
    const { stdout } = await run('tar', ['tvf', join(folder, 'file')])
    expect(stdout).toMatch(/^-rwx.*run\.sh$/m)
    expect(stdout).toMatch(/^l.*out -> \.\.\/\.\.\/etc\/passwd$/m)
    expect((await readFile(join(folder, 'file'))).length % 512).toBe(0)
  })
})

test('a commit of which git makes no archive is refused', async () => {
  const { id, owner, archive } = await withFiles()
  const repository = await w.running.services.repositories.ensure({ kind: 'project', project: id })
  const write = (type: string, content: string | Buffer) =>
    repository.git
      .text(repository, ['hash-object', '-t', type, '-w', '--stdin', '--literally'], { input: content })
      .then((text) => text.trim())
  const file = await write('blob', 'x')
  const above = await write('tree', Buffer.concat([Buffer.from('100644 ..\0'), Buffer.from(file, 'hex')]))
  const commit = await write('commit', `tree ${above}\nauthor x\ncommitter <> -1 +9999\n\n`)
  for (const format of ['', '.zip']) {
    const { status, body } = await owner.get(`${archive}${format}?sha=${commit}`)
    expect([status, body.message]).toEqual([
      422,
      '422 Unprocessable Entity - git makes no archive of a commit like this',
    ])
  }
})
