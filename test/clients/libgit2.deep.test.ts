import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { projectWith, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'
import { projectOverSsh } from './over-ssh.ts'

/** As in .ci/run, which installs it. */
const VERSION = '1.21.0'
const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
const python = join(cache, 'forgelet-tools', `pygit2-${VERSION}`, 'bin', 'python')
const has = existsSync(python)
if (!has) console.log(`skipped: pygit2 ${VERSION} is not installed, see .ci/run`)

withGit()

/** Clones, pushes and fetches. @param secret a token, or the file of a key */
async function useLibgit2(url: string, secret: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-libgit2-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const args = [join(import.meta.dirname, 'libgit2.py'), url, secret, folder]
  const { stdout } = await promisify(execFile)(python, args, { env: { HOME: folder }, timeout: 120_000 })
  return stdout
}

test.skipIf(!has)('libgit2 clones, pushes and fetches over plain HTTP, whatever the slashes', async () => {
  const { project } = await projectWith({
    'large.bin': randomBytes(3 * 1024 * 1024),
    'README.md': '# Hello\n',
  })
  for (const path of [`${project.fullPath}.git`, `/${project.fullPath}.git`]) {
    expect(await useLibgit2(`${w.url}/${path}`, project.maintainer.token)).toMatch(/^held \d/)
    await project.maintainer.delete(`/projects/${project.id}/repository/branches/made`)
  }
})

test.skipIf(!has)('and over SSH, by the door of the server', async () => {
  const { client, url } = await projectOverSsh()
  expect(await useLibgit2(url, client.keyFile)).toMatch(/^held \d/)
})
