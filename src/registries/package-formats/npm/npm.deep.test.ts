import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runningJob } from '#ci/job-tokens/test-support.ts'
import { w } from '#test/world.ts'
import { deployToken } from '../../packages/test-support.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-npm-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const host = w.url.replace('http:', '')

interface Ran {
  readonly code: number
  readonly out: string
}

const environment = (cwd: string) => ({
  PATH: process.env['PATH'],
  HOME: cwd,
  npm_config_cache: join(folder, 'cache'),
  npm_config_fund: 'false',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
})

/** Runs npm as people do, in a folder of its own. */
const npm = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile('npm', args, { cwd, env: environment(cwd), timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
        out: stdout + stderr,
      })
    })
  })

let serial = 0
/** A folder with an `.npmrc` for a scope, and a package if it is named. */
async function folderFor(
  registry: string,
  token: string,
  packageJson: object = { name: 'user', version: '1.0.0' },
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const here = join(folder, String((serial += 1)))
  await mkdir(here)
  await writeFile(
    join(here, '.npmrc'),
    `@scope:registry=${w.url}/api/v4${registry}\n${host}/api/v4${registry}:_authToken=${token}\n${host}/api/v4/projects/:_authToken=${token}\n`,
  )
  await writeFile(join(here, 'package.json'), JSON.stringify(packageJson))
  for (const [name, content] of Object.entries(files)) await writeFile(join(here, name), content)
  return here
}

const registryOf = ({ id }: { readonly id: number }) => `/projects/${id}/packages/npm/`
const tool = (version: string) => ({ name: '@scope/tool', version, main: 'index.js' })
const content = { 'index.js': 'module.exports = "hello"\n' }

async function published(
  token: string,
  project: { readonly id: number },
  version = '1.0.0',
  ...args: string[]
) {
  const here = await folderFor(registryOf(project), token, tool(version), content)
  return npm(here, 'publish', ...args)
}

/** What a program says that uses the installed package. */
async function installed(here: string, what = '@scope/tool'): Promise<string> {
  const { code, out } = await npm(here, 'install', what)
  expect([code, out]).toEqual([0, expect.stringContaining('added 1 package')])
  return readFile(join(here, 'node_modules/@scope/tool/index.js'), 'utf8')
}

describe('npm', { timeout: 300_000 }, () => {
  test('publishes, installs, tags, deprecates and refuses what exists', async () => {
    const p = await w.project()
    const { token } = p.developer
    expect(await published(token, p)).toMatchObject({
      code: 0,
      out: expect.stringContaining('+ @scope/tool@1.0.0'),
    })
    const again = await published(token, p)
    expect(again.code).not.toBe(0)
    expect(again.out).toMatch(/already exists|previously published/)
    expect((await published(token, p, '2.0.0-rc.1', '--tag', 'next')).code).toBe(0)

    const here = await folderFor(registryOf(p), p.reporter.token)
    expect(await installed(here)).toBe(content['index.js'])
    const lock = JSON.parse(await readFile(join(here, 'package-lock.json'), 'utf8'))
    expect(lock.packages['node_modules/@scope/tool']).toMatchObject({
      version: '1.0.0',
      integrity: expect.stringMatching(/^sha512-/),
    })
    await rm(join(here, 'node_modules'), { recursive: true })
    expect((await npm(here, 'ci')).code).toBe(0)

    const maker = await folderFor(registryOf(p), token)
    const view = await npm(here, 'view', '@scope/tool', 'dist-tags', '--json')
    expect(JSON.parse(view.out)).toEqual({ latest: '1.0.0', next: '2.0.0-rc.1' })
    expect((await npm(maker, 'dist-tag', 'add', '@scope/tool@1.0.0', 'stable')).code).toBe(0)
    expect((await npm(maker, 'dist-tag', 'ls', '@scope/tool')).out).toBe(
      'latest: 1.0.0\nnext: 2.0.0-rc.1\nstable: 1.0.0\n',
    )
    expect((await npm(maker, 'dist-tag', 'rm', '@scope/tool', 'stable')).code).toBe(0)
    expect((await npm(maker, 'deprecate', '@scope/tool@1.0.0', 'use the next one')).code).toBe(0)
    const other = await folderFor(registryOf(p), p.reporter.token)
    expect((await npm(other, 'install', '@scope/tool')).out).toContain(
      'deprecated @scope/tool@1.0.0: use the next one',
    )
  })

  test('installs with every credential, from the project and from the group', async () => {
    const g = await w.group()
    const p = await w.project({ parent: g.id })
    expect((await published(w.root.token, p)).code).toBe(0)
    const writer = await deployToken(g, 'group', 'write_package_registry')
    const reader = await deployToken(p, 'project', 'read_package_registry')
    expect((await published(writer.token, p, '1.1.0')).code).toBe(0)
    for (const token of [g.reporter.token, reader.token])
      expect(await installed(await folderFor(registryOf(p), token))).toBe(content['index.js'])
    for (const token of [g.reporter.token, writer.token])
      expect(await installed(await folderFor(`/groups/${g.id}/-/packages/npm/`, token))).toBe(
        content['index.js'],
      )
    const refused = await npm(await folderFor(registryOf(p), 'glpat-wrong'), 'install', '@scope/tool')
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('E401')])
    const noWriter = await published(reader.token, p, '1.2.0')
    expect([noWriter.code, noWriter.out]).toEqual([1, expect.stringContaining('E403')])
  })

  test('publishes and installs in a job', async () => {
    const job = await runningJob()
    expect((await published(job.token, job)).code).toBe(0)
    expect(await installed(await folderFor(registryOf(job), job.token))).toBe(content['index.js'])
  })

  test('is told why a version that was deleted is not there', async () => {
    const p = await w.project()
    await published(p.developer.token, p)
    const [{ id }] = (await p.maintainer.get(`/projects/${p.id}/packages`)).body
    expect((await p.maintainer.delete(`/projects/${p.id}/packages/${id}`)).status).toBe(204)
    const { code, out } = await npm(
      await folderFor(registryOf(p), p.reporter.token),
      'install',
      '@scope/tool',
    )
    expect([code, out]).toEqual([1, expect.stringContaining('404 Package Not Found')])
    expect((await published(p.developer.token, p)).code).toBe(0)
  })
})
