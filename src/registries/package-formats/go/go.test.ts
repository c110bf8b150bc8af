import { describe, expect, test } from 'vitest'
import { runningJob } from '#ci/job-tokens/test-support.ts'
import { zipLibrary } from '#platform/zip-library.ts'
import { type Place, w } from '#test/world.ts'
import { basicClient, deployToken } from '../../packages/test-support.ts'
import { goModule, HOST, tagged } from './test-support.ts'

const goMod = ({ fullPath }: Place, below = '', go = '1.18') =>
  `module ${HOST}/${fullPath}${below}\n\ngo ${go}\n`

async function withModule() {
  const p = await w.project()
  await tagged(p, 'v1.0.0', { 'go.mod': goMod(p), 'a.go': 'package a\n' })
  return p
}

/** The files of an archive, with their contents. */
async function filesOf(p: Place, rest: string, below = ''): Promise<Record<string, string>> {
  const answer = await fetch(`${w.url}/api/v4${goModule(p, rest, below)}`, {
    headers: { 'private-token': p.reporter.token },
  })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip'])
  const { ZipReader, BlobReader, TextWriter } = await zipLibrary()
  const entries = await new ZipReader(new BlobReader(await answer.blob())).getEntries()
  const found: Record<string, string> = {}
  for (const entry of entries)
    if (!entry.directory) found[entry.filename] = await entry.getData(new TextWriter())
  return found
}

describe('GET /projects/:id/packages/go/:module_name/@v', () => {
  test('lists what is tagged, each major version under its own path', async () => {
    const p = await withModule()
    for (const tag of [
      'v0.9.0',
      'v1.10.0',
      'v1.9.0-rc.1',
      'v2.0.0',
      'v1.0',
      'release',
      'v1.0.0+meta',
      'sub/v0.1.0',
    ])
      await w.root.post(`/projects/${p.id}/repository/tags`, { tag_name: tag, ref: 'main' })
    const list = async (below = '') => (await p.reporter.get(goModule(p, 'v/list', below))).text
    expect(await list()).toBe('v0.9.0\nv1.0.0\nv1.9.0-rc.1\nv1.10.0\n')
    expect(await list('/v2')).toBe('v2.0.0\n')
    expect(await list('/sub')).toBe('v0.1.0\n')
    expect(await list('/other')).toBe('')
    const latest = await p.reporter.get(goModule(p, 'latest'))
    expect(latest.body).toEqual({ Version: 'v1.10.0', Time: expect.stringMatching(/^\d{4}-.*:\d\dZ$/) })
  })

  test('knows a version, its go.mod and its files', async () => {
    const p = await withModule()
    const info = await p.reporter.get(goModule(p, 'v/v1.0.0.info'))
    expect(info.body).toEqual({ Version: 'v1.0.0', Time: expect.any(String) })
    expect((await p.reporter.get(goModule(p, 'v/v1.0.0.mod'))).text).toBe(goMod(p))
    const at = `${HOST}/${p.fullPath}@v1.0.0`
    expect(await filesOf(p, 'v/v1.0.0.zip')).toEqual({
      [`${at}/go.mod`]: goMod(p),
      [`${at}/a.go`]: 'package a\n',
    })
  })

  test('leaves out nested modules and copies of other packages, and adds the licence to folders', async () => {
    const p = await w.project()
    const files = {
      'go.mod': goMod(p),
      LICENSE: 'free',
      '.gitattributes': 'a.go export-ignore\n',
      'a.go': 'package a\n',
      'vendor/x/y.go': 'package x\n',
      'vendor/modules.txt': 'x\n',
      'sub/go.mod': goMod(p, '/sub'),
      'sub/b.go': 'package b\n',
    }
    await tagged(p, 'v1.0.0', files)
    await w.root.post(`/projects/${p.id}/repository/tags`, { tag_name: 'sub/v0.1.0', ref: 'main' })
    const names = async (rest: string, below?: string) =>
      Object.keys(await filesOf(p, rest, below))
        .map((name) => name.slice(name.indexOf('@')))
        .toSorted()
    expect(await names('v/v1.0.0.zip')).toEqual([
      '@v1.0.0/.gitattributes',
      '@v1.0.0/LICENSE',
      '@v1.0.0/a.go',
      '@v1.0.0/go.mod',
      '@v1.0.0/vendor/modules.txt',
    ])
    expect(await names('v/v0.1.0.zip', '/sub')).toEqual(['@v0.1.0/LICENSE', '@v0.1.0/b.go', '@v0.1.0/go.mod'])
  })

  test('finds a later major version in the root or in a folder of its own', async () => {
    const p = await w.project()
    await tagged(p, 'v2.0.0', { 'go.mod': goMod(p, '/v2'), 'a.go': 'package a\n' })
    await tagged(p, 'v3.0.0', { 'v3/go.mod': goMod(p, '/v3'), 'v3/a.go': 'package three\n' })
    const at = `${HOST}/${p.fullPath}`
    expect((await filesOf(p, 'v/v2.0.0.zip', '/v2'))[`${at}/v2@v2.0.0/a.go`]).toBe('package a\n')
    expect((await filesOf(p, 'v/v3.0.0.zip', '/v3'))[`${at}/v3@v3.0.0/a.go`]).toBe('package three\n')
  })

  test('makes a go.mod for what has none', async () => {
    const p = await w.project()
    await tagged(p, 'v1.0.0', { 'a.go': 'package a\n' })
    expect((await p.reporter.get(goModule(p, 'v/v1.0.0.mod'))).text).toBe(`module ${HOST}/${p.fullPath}\n`)
  })

  test('is 404 for versions and modules that are not there', async () => {
    const p = await withModule()
    const message = async (path: string) => {
      const { status, body } = await p.reporter.get(path)
      return [status, body.message]
    }
    for (const rest of ['v/v9.9.9.info', 'v/main.info', 'v/v1.0.0.exe', 'v/v1.0.0', 'v/V1.0.0.info'])
      expect((await p.reporter.get(goModule(p, rest))).status).toBe(404)
    expect(await message(goModule(p, 'v/v9.9.9.info'))).toEqual([404, '404 Version Not Found'])
    const base = `/projects/${p.id}/packages/go`
    expect(await message(`${base}/${HOST}/other/project/@v/list`)).toEqual([404, '404 Module Not Found'])
    expect(await message(`${base}/localhost/${p.fullPath}/@v/list`)).toEqual([404, '404 Module Not Found'])
    expect(await message(`${base}/${HOST}/${p.fullPath}%2F..%2F../@v/list`)).toEqual([
      404,
      '404 Module Not Found',
    ])
    const empty = await w.project()
    expect((await empty.reporter.get(goModule(empty, 'v/list'))).status).toBe(404)
    await tagged(p, 'v1.1.0', { 'go.mod': 'module example.com/other\n' })
    expect(await message(goModule(p, 'v/v1.1.0.mod'))).toEqual([404, '404 Version Not Found'])
  })

  test('refuses what go would refuse, with the reason', async () => {
    const p = await withModule()
    await tagged(p, 'v1.0.1', { 'A.go': 'package a\n' })
    const twice = await p.reporter.get(goModule(p, 'v/v1.0.1.zip'))
    expect([twice.status, twice.body.message]).toEqual([
      422,
      '422 Unprocessable Entity - Go takes no such module: two files differ from a.go in case alone',
    ])
    const q = await withModule()
    await tagged(q, 'v1.0.1', { 'aux.go': 'package a\n' })
    expect((await q.reporter.get(goModule(q, 'v/v1.0.1.zip'))).body.message).toContain(
      'the name of aux.go is none for Go',
    )
  })

  test('is for those who may read the code, with every credential', async () => {
    const p = await withModule()
    const { username, token } = await deployToken(p, 'project', 'read_package_registry')
    for (const client of [p.reporter, basicClient('x', p.reporter.token), basicClient(username, token)])
      expect((await client.get(goModule(p, 'v/list'))).text).toBe('v1.0.0\n')
    expect((await p.guest.get(goModule(p, 'v/list'))).status).toBe(403)
    expect((await p.anonymous.get(goModule(p, 'v/list'))).status).toBe(401)
    await w.root.put(`/projects/${p.id}`, { repository_access_level: 'disabled' })
    expect((await p.reporter.get(goModule(p, 'v/list'))).status).toBe(404)
    const job = await runningJob()
    const { body } = await job.developer.get(`/projects/${job.id}`)
    const module = { id: job.id, fullPath: body.path_with_namespace }
    await w.root.post(`/projects/${job.id}/repository/tags`, { tag_name: 'v1.0.0', ref: 'main' })
    const read = await basicClient('gitlab-ci-token', job.token).get(goModule(module, 'v/list'))
    expect(read.text).toBe('v1.0.0\n')
  })
})
