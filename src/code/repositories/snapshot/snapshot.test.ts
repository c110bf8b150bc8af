import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { w } from '#test/world.ts'
import { giveSample } from '#test/repositories.ts'
import type { Client } from '#test/client.ts'

const run = promisify(execFile)
let count = 0

/** Downloads a snapshot and unpacks it. @returns what git says of it, run in its folder */
async function unpacked(by: Client, path: string) {
  const response = await fetch(`${by.base}/api/v4${path}`, { headers: by.headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-tar'])
  const folder = join(inject('dataDir'), `snapshot-${process.pid}-${(count += 1)}.git`)
  await mkdir(folder)
  await writeFile(`${folder}.tar`, Buffer.from(await response.arrayBuffer()))
  await run('tar', ['-xf', `${folder}.tar`, '-C', folder])
  return async (...args: string[]) =>
    (await run('git', ['-c', 'safe.directory=*', '--git-dir', folder, ...args])).stdout.trim()
}

test('a snapshot is a bare repository with everything that the references need', async () => {
  const p = await w.project()
  const repository = await giveSample(p)
  await p.owner.post(`/projects/${p.id}/repository/tags`, { tag_name: 'v1', ref: 'main', message: 'One' })
  const git = await unpacked(w.root, `/projects/${p.id}/snapshot`)
  expect(await git('fsck', '--full')).toBe('')
  expect(await git('symbolic-ref', 'HEAD')).toBe('refs/heads/main')
  const refs = ['for-each-ref', '--format=%(objectname) %(refname)']
  expect(await git(...refs)).toBe((await repository.git.text(repository, refs)).trim())
  expect(await git('show', 'main:src/main.ts')).toBe('export {}')
  // Nothing of it stays on the server.
  await expect
    .poll(async () =>
      (await readdir(join(repository.folder, 'objects'))).filter((name) => name.startsWith('tmp_')),
    )
    .toEqual([])
})

test('a snapshot of a project or wiki that nobody has written to is empty', async () => {
  const p = await w.project()
  await p.owner.put(`/projects/${p.id}`, { default_branch: 'trunk' })
  const git = await unpacked(w.root, `/projects/${p.id}/snapshot`)
  expect([await git('symbolic-ref', 'HEAD'), await git('for-each-ref')]).toEqual(['refs/heads/trunk', ''])
  await p.developer.post(`/projects/${p.id}/wikis`, { title: 'Home', content: 'Welcome' })
  const wiki = await unpacked(w.root, `/projects/${p.id}/snapshot?wiki=true`)
  expect(await wiki('ls-tree', '--name-only', 'HEAD')).toBe('Home.md')
})

test('snapshots are for administrators', async () => {
  const p = await w.project({ visibility: 'public' })
  const head = await w.root.send('HEAD', `/projects/${p.id}/snapshot`)
  expect([head.status, head.text]).toEqual([200, ''])
  for (const [who, status] of [
    [p.owner, 403],
    [p.anonymous, 401],
  ] as const) {
    expect((await who.get(`/projects/${p.id}/snapshot`)).status).toBe(status)
  }
})
