import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectWith, pushesTo, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'
import { findClassPath, run } from './java.ts'
import { projectOverSsh } from './over-ssh.ts'

const source = join(import.meta.dirname, 'jgit')
const classPath = await findClassPath(source, 'JGit')
const has = classPath !== undefined

withGit()

/** Clones, pushes and fetches. @returns what the server said of the last push */
async function useJGit(url: string, { token, ssh }: { token?: string; ssh?: string }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-jgit-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = ['-cp', classPath ?? '', `-Duser.home=${folder}`, join(source, 'UseJGit.java')]
  const { stdout } = await run('java', [...program, url, folder, ...(token === undefined ? [] : [token])], {
    timeout: 120_000,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      ...(ssh !== undefined && { GIT_SSH: ssh }),
    },
  })
  expect(stdout).toMatch(/^held$/m)
  return stdout
}

test.skipIf(!has)(
  'JGit clones, pushes with options, and fetches over HTTP, and reads what the server says',
  { timeout: 180_000 },
  async () => {
    const { project } = await projectWith({ 'README.md': '# Hello\n' })
    const said = await useJGit(`${w.url}/${project.fullPath}.git`, { token: project.maintainer.token })
    const requests = await project.maintainer.get(`/projects/${project.id}/merge_requests`)
    expect(requests.body).toMatchObject([{ source_branch: 'made', target_branch: 'main' }])
    expect(said).toContain(requests.body[0].web_url)
    expect(said).toContain('This server does not know these push options: surprise.')
    expect((await pushesTo(project)).at(-1)).toMatchObject({
      ref: 'made',
      push_options: { ci: { skip: true }, merge_request: { create: true } },
    })
  },
)

test.skipIf(!has)('and over SSH', { timeout: 180_000 }, async () => {
  const { project, client, url } = await projectOverSsh()
  // Its own SSH takes more artifacts than JGit itself; it runs the program of OpenSSH as well.
  const said = await useJGit(url, { ssh: join(client.git.folder, 'ssh') })
  const requests = await project.maintainer.get(`/projects/${project.id}/merge_requests`)
  expect(said).toContain(requests.body[0].web_url)
})
