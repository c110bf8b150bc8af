import { execFile } from 'node:child_process'
import { createServer } from 'node:https'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directly, openProxy, portOf, toServer } from '#code/go-get/test-support.ts'
import { localhost } from '#test/certificate.ts'
import { w } from '#test/world.ts'
import { deployToken } from '../../packages/test-support.ts'
import { HOST, tagged } from './test-support.ts'

const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
const go = places.map((place) => join(place, 'go')).find((path) => existsSync(path))
if (go === undefined) console.log('skipped: go is not installed')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-go-proxy-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

let serial = 0

/** Runs go in an empty module of its own, with its own store of modules. */
async function user(environment: Readonly<Record<string, string>>) {
  const home = join(folder, String((serial += 1)))
  await mkdir(home)
  await writeFile(join(home, 'go.mod'), 'module example.com/user\n\ngo 1.18\n')
  const run = (...args: readonly string[]): Promise<{ code: number; out: string }> =>
    new Promise((resolve) => {
      const env = {
        PATH: process.env['PATH'],
        HOME: home,
        GOPATH: join(home, 'go'),
        GOFLAGS: '-modcacherw -mod=mod',
        GOTOOLCHAIN: 'local',
        GONOSUMDB: HOST,
        ...environment,
      }
      execFile(go ?? '', args, { cwd: home, env, timeout: 120_000 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, out: stdout + stderr })
      })
    })
  return { home, run }
}

const proxyOf = ({ id }: { readonly id: number }, host = w.url) => ({
  GOPROXY: `${host}/api/v4/projects/${id}/packages/go`,
  GOVCS: '*:off',
})

async function withModules(visibility: 'public' | 'private') {
  const group = await w.group({ visibility })
  const p = await w.project({ parent: group.id, visibility })
  const name = `${HOST}/${p.fullPath}`
  await tagged(p, 'v1.2.3', {
    'go.mod': `module ${name}\n\ngo 1.18\n`,
    'greet.go': 'package greet\n\nconst Text = "hello"\n',
    'deeper/words.go': 'package deeper\n\nconst Text = "deeper"\n',
    'tool/go.mod': `module ${name}/tool\n\ngo 1.18\n`,
    'tool/tool.go': 'package tool\n\nconst Text = "tool"\n',
  })
  await w.root.post(`/projects/${p.id}/repository/tags`, { tag_name: 'tool/v0.3.0', ref: 'main' })
  await tagged(p, 'v2.0.0', { 'go.mod': `module ${name}/v2\n\ngo 1.18\n` })
  return { p, name }
}

test.skipIf(go === undefined)(
  'go gets modules, folders and later major versions from the tags of a project',
  { timeout: 300_000 },
  async () => {
    const { p, name } = await withModules('public')
    const { home, run } = await user(proxyOf(p))
    await writeFile(
      join(home, 'main.go'),
      `package main

import (
	"fmt"
	"${name}/deeper"
	two "${name}/v2"
	"${name}/tool"
)

func main() { fmt.Println(deeper.Text, two.Text, tool.Text) }
`,
    )
    expect(await run('mod', 'tidy')).toMatchObject({ code: 0 })
    expect(await readFile(join(home, 'go.mod'), 'utf8')).toMatch(/v1\.2\.3[^]*v0\.3\.0[^]*v2\.0\.0/)
    expect(await run('run', '.')).toMatchObject({ code: 0, out: 'deeper hello tool\n' })
    const listed = await run('list', '-m', '-versions', name)
    expect(listed.out.trim()).toBe(`${name} v1.2.3`)
    const missing = await run('get', `${name}@v1.9.9`)
    expect([missing.code, missing.out]).toEqual([1, expect.stringContaining('404')])
  },
)

test.skipIf(go === undefined)(
  'go gets the same files from the proxy as from the repository',
  { timeout: 300_000 },
  async () => {
    const { p, name } = await withModules('public')
    await tagged(p, 'v1.3.0', {
      'go.mod': `module ${name}\n\ngo 1.18\n`,
      LICENSE: 'free',
      '.gitattributes': 'greet.go export-ignore\n',
      'vendor/x/y.go': 'package x\n',
      'vendor/modules.txt': 'x\n',
      'deeper/vendor/z.go': 'package z\n',
    })
    await w.root.post(`/projects/${p.id}/repository/tags`, { tag_name: 'tool/v0.4.0', ref: 'main' })
    const sums = async (environment: Record<string, string>) => {
      const { run } = await user(environment)
      const of = async (module: string) => JSON.parse((await run('mod', 'download', '-json', module)).out)
      const found = [await of(`${name}@v1.3.0`), await of(`${name}/tool@v0.4.0`)]
      return found.map(({ Sum, GoModSum }) => [Sum, GoModSum])
    }
    const proxy = await openProxy()
    try {
      const expected = await sums(directly(proxy))
      expect(expected.flat()).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^h1:/)))
      expect(await sums(proxyOf(p))).toEqual(expected)
    } finally {
      proxy.close()
    }
  },
)

test.skipIf(go === undefined)(
  'go gets a private module with a token of each kind, and nothing without one',
  { timeout: 300_000 },
  async () => {
    const { p, name } = await withModules('private')
    const { username, token } = await deployToken(p, 'project', 'read_package_registry')
    // Go sends credentials by https alone.
    const https = createServer(localhost, toServer)
    await new Promise<void>((resolve) => {
      https.listen(0, 'localhost', resolve)
    })
    const trusted = join(folder, 'localhost.pem')
    await writeFile(trusted, localhost.cert)
    const as = (credentials: string) =>
      user({ ...proxyOf(p, `https://${credentials}localhost:${portOf(https)}`), SSL_CERT_FILE: trusted })
    try {
      for (const credentials of [`x:${p.reporter.token}@`, `${encodeURIComponent(username)}:${token}@`]) {
        const { run } = await as(credentials)
        expect(await run('get', `${name}@latest`)).toMatchObject({ code: 0 })
      }
      const { run } = await as('')
      const { code, out } = await run('get', `${name}@latest`)
      expect([code, out]).toEqual([1, expect.stringContaining('401')])
    } finally {
      https.close()
    }
  },
)
