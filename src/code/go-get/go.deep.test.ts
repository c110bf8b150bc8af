import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { w } from '#test/world.ts'

const places = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/go/bin']
const go = places.map((place) => join(place, 'go')).find((path) => existsSync(path))
if (go === undefined) console.log('skipped: go is not installed')

/** Paths of modules have a host with a dot, and no port. A proxy leads there. */
const HOST = 'code.example.com'

let proxy: Server
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forgelet-go-'))
  const { port } = new URL(w.url)
  proxy = createServer((req, res) => {
    const { pathname, search, host } = new URL(req.url ?? '', `http://${HOST}`)
    const headers = { ...req.headers, host }
    const there = { port, host: '127.0.0.1', method: req.method, path: pathname + search, headers }
    const onwards = request(there, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(res)
    })
    req.pipe(onwards.on('error', () => res.destroy()))
  })
  // There is no TLS.
  proxy.on('connect', (_, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
})
afterAll(async () => {
  proxy.close()
  await rm(folder, { recursive: true, force: true })
})

const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

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
      GOPROXY: 'direct',
      GOPRIVATE: HOST,
      GOINSECURE: HOST,
      GONOSUMDB: HOST,
      GOVCS: '*:git',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      http_proxy: `http://127.0.0.1:${portOf(proxy)}`,
      https_proxy: `http://127.0.0.1:${portOf(proxy)}`,
      no_proxy: '',
    },
  })

test.skipIf(go === undefined)(
  'go gets modules in nested groups, and packages below them',
  { timeout: 120_000 },
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
