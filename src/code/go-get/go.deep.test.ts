import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { directly, HOST, openProxy } from './test-support.ts'

const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
const go = places.map((place) => join(place, 'go')).find((path) => existsSync(path))
if (go === undefined) console.log('skipped: go is not installed')

let proxy: Server
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-go-'))
  proxy = await openProxy()
})
afterAll(async () => {
  proxy.close()
  await rm(folder, { recursive: true, force: true })
})

const runGo = (args: readonly string[]) =>
  promisify(execFile)(go ?? '', args, {
    cwd: folder,
    timeout: 60_000,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GOPATH: join(folder, 'go'),
      GOFLAGS: '-modcacherw -mod=mod',
      GOTOOLCHAIN: 'local',
      ...directly(proxy),
    },
  })

test.skipIf(go === undefined)(
  'go gets modules in nested groups, and packages below them',
  { timeout: 180_000 },
  async () => {
    const group = await w.group({ visibility: 'public' })
    const subgroup = await w.group({ parent: group.id, visibility: 'public' })
    const p = await w.project({ parent: subgroup.id, visibility: 'public' })
    const name = `${HOST}/${p.fullPath}`
    const created = (file_path: string, content: string) => ({ action: 'create', file_path, content })
    const { status } = await p.maintainer.post(`/projects/${p.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin',
      actions: [
        created('go.mod', `module ${name}\n\ngo 1.18\n`),
        created('greet.go', 'package greet\n\nconst Text = "hello"\n'),
        created('deeper/package/words.go', 'package words\n\nconst Text = "deeper"\n'),
      ],
    })
    expect(status).toBe(201)
    await p.maintainer.post(`/projects/${p.id}/repository/tags`, { tag_name: 'v1.2.3', ref: 'main' })
    await writeFile(join(folder, 'go.mod'), 'module example.com/user\n\ngo 1.18\n')
    await runGo(['get', `${name}/deeper/package@latest`])
    expect(await readFile(join(folder, 'go.mod'), 'utf8')).toContain(`${name} v1.2.3`)
    const { stdout } = await runGo(['mod', 'download', '-json'])
    expect(JSON.parse(stdout)).toMatchObject({ Path: name, Version: 'v1.2.3' })
  },
)
