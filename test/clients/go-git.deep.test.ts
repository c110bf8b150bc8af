import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { projectWith, pushesTo, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'
import { projectOverSsh } from './over-ssh.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'forgelet-go-git-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const program = await build()
const has = program !== undefined

withGit()

/** The client. Go fetches what it needs the first time. */
async function build(): Promise<string | undefined> {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
  const go = places.map((place) => join(place, 'go')).find((path) => existsSync(path))
  if (go === undefined) {
    console.log('skipped: Go is not installed')
    return undefined
  }
  const cwd = join(import.meta.dirname, 'go-git')
  try {
    await run(go, ['mod', 'download'], { cwd, timeout: 120_000 })
  } catch {
    console.log('skipped: Go could not fetch go-git')
    return undefined
  }
  const built = join(folder, 'client')
  await run(go, ['build', '-o', built, '.'], { cwd, timeout: 240_000 })
  return built
}

/** Clones, pushes and fetches. @param secret a token, or the file of a key. @returns what the server said of the pushes */
async function useGoGit(url: string, secret: string): Promise<string> {
  const work = await mkdtemp(join(folder, 'work-'))
  onTestFinished(() => rm(work, { recursive: true, force: true }))
  const { stdout } = await run(program ?? '', [url, secret, work], {
    timeout: 120_000,
    env: { HOME: work, GIT_CONFIG_NOSYSTEM: '1' },
  })
  expect(stdout).toMatch(/^held$/m)
  return stdout
}

test.skipIf(!has)('go-git clones, pushes with options, and fetches over HTTP', async () => {
  const { project } = await projectWith({ 'README.md': '# Hello\n' })
  const said = await useGoGit(`${w.url}/${project.fullPath}.git`, project.maintainer.token)
  const { body } = await project.maintainer.get(`/projects/${project.id}/merge_requests`)
  expect(body).toMatchObject([{ source_branch: 'made', target_branch: 'main' }])
  expect(said).toContain(body[0].web_url)
  // It gives each option a value.
  expect((await pushesTo(project)).at(-1)).toMatchObject({
    ref: 'made',
    push_options: { ci: { skip: 'true' } },
  })
})

test.skipIf(!has)('and over SSH', async () => {
  const { project, client, url } = await projectOverSsh()
  const said = await useGoGit(url, client.keyFile)
  const { body } = await project.maintainer.get(`/projects/${project.id}/merge_requests`)
  expect(said).toContain(body[0].web_url)
})
