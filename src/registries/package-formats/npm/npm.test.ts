import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { withSettings } from '#identity/users/test-support.ts'
import { runningJob } from '#ci/job-tokens/test-support.ts'
import { Client } from '#test/client.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { w } from '#test/world.ts'
import { basicClient, breakOff, deployToken } from '../../packages/test-support.ts'
import { compareVersions } from '../semantic-versions.ts'
import { documentOf, npmPackage, publishNpm, tarballOf } from './test-support.ts'

const bearer = (token: string) => new Client(w.url, { authorization: `Bearer ${token}` })

async function bytesOf(url: string, token: string): Promise<Buffer> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

describe('PUT /projects/:id/packages/npm/:package_name', () => {
  test('publishes a version, whose file is what was sent', async () => {
    const p = await w.project()
    const name = '@scope/tool'
    const manifest = { dependencies: { other: '^1.0.0' }, bin: { tool: 'bin.js' }, scripts: { install: 'x' } }
    const tarball = await tarballOf(
      { name, version: '1.0.0' },
      { 'package/data': randomBytes(300_000).toString('hex') },
    )
    expect((await publishNpm(p.developer, p, { name, manifest, tarball })).body).toEqual({})
    const { status, body } = await p.reporter.get(npmPackage(p, name))
    const url = `${w.url}/api/v4/projects/${p.id}/packages/npm/@scope/tool/-/@scope/tool-1.0.0.tgz`
    expect([status, body]).toEqual([
      200,
      {
        _id: name,
        name,
        'dist-tags': { latest: '1.0.0' },
        versions: {
          '1.0.0': {
            name,
            version: '1.0.0',
            dependencies: { other: '^1.0.0' },
            bin: { tool: 'bin.js' },
            hasInstallScript: true,
            dist: {
              shasum: expect.stringMatching(/^[\da-f]{40}$/),
              integrity: expect.stringMatching(/^sha512-/),
              tarball: url,
            },
          },
        },
        time: { '1.0.0': expect.any(String) },
      },
    ])
    expect((await bytesOf(url, p.reporter.token)).equals(tarball)).toBe(true)
    const usual = url.replace('/-/@scope/', '/-/')
    expect((await bytesOf(usual, p.reporter.token)).equals(tarball)).toBe(true)
    const [listed] = (await p.reporter.get(`/projects/${p.id}/packages?package_type=npm`)).body
    expect(listed).toMatchObject({ name, version: '1.0.0', package_type: 'npm', tags: ['latest'] })
  })

  test('reads the attachment wherever it is in the document', async () => {
    const p = await w.project()
    const { _attachments, ...rest } = await documentOf({ version: '2.0.0' })
    expect((await p.developer.put(npmPackage(p), { _attachments, ...rest })).status).toBe(200)
    const { body } = await p.reporter.get(npmPackage(p))
    expect(Object.keys(body.versions)).toEqual(['2.0.0'])
  })

  test('refuses a version that is there, also of two at once', async () => {
    const p = await w.project()
    const both = await Promise.all([publishNpm(p.developer, p), publishNpm(p.developer, p)])
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403])
    const again = await publishNpm(p.developer, p)
    expect([again.status, again.body]).toEqual([
      403,
      {
        message: '403 Forbidden - Package already exists.',
        error: '403 Forbidden - Package already exists.',
      },
    ])
    expect((await publishNpm(p.developer, p, { version: '1.0.1' })).status).toBe(200)
  })

  const wrong: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
    [
      'no document',
      () => Promise.resolve([]),
      '400 Bad request - the document has no name and versions of a package',
    ],
    ['another name', () => documentOf({ name: 'other' }), { name: ['is not that of the URL'] }],
    ['a version that is none', () => documentOf({ version: '1.0' }), { version: ['is no semantic version'] }],
    ['a tag that is a version', () => documentOf({ tag: 'v1' }), { tag: ['is invalid'] }],
    [
      'a shasum that lies',
      () => documentOf({ dist: { shasum: '0'.repeat(40) } }),
      '400 Bad request - the shasum is not that of the attachment',
    ],
    [
      'an integrity that lies',
      () => documentOf({ dist: { integrity: 'sha512-AAAA' } }),
      '400 Bad request - the integrity is not that of the attachment',
    ],
    [
      'a file that is no archive',
      () => documentOf({ tarball: Buffer.from('no archive') }),
      '400 Bad request - the attachment is no package: it cannot be unpacked',
    ],
    [
      'an archive without a package.json',
      async () => documentOf({ tarball: await tarballOf(undefined) }),
      '400 Bad request - the package has no package.json',
    ],
    [
      'an archive of another package',
      async () => documentOf({ tarball: await tarballOf({ name: 'evil', version: '6.6.6' }) }),
      '400 Bad request - the package.json of the package is about evil 6.6.6, its document about tool 1.0.0',
    ],
    [
      'a manifest that is too large',
      () => documentOf({ manifest: { description: 'x'.repeat(70_000) } }),
      { versions: ['the manifest is larger than 64 KiB'] },
    ],
    [
      'an archive that grows without end',
      async () => documentOf({ tarball: gzipSync(Buffer.alloc(300 * 1024 * 1024)) }),
      expect.stringMatching(
        /^400 Bad request - the (?:package has 256 MB before|attachment is no package|package has no)/,
      ),
    ],
    [
      'an archive with ten thousand files before its package.json',
      async () =>
        documentOf({
          tarball: await tarballOf(
            { name: 'tool', version: '1.0.0' },
            Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`package/${index}`, ''])),
          ),
        }),
      '400 Bad request - the package has 10000 files before its package.json',
    ],
  ]
  test.each(wrong)('refuses %s, with the reason', { timeout: 180_000 }, async (_, document, message) => {
    const p = await w.project()
    const { status, body } = await p.developer.put(npmPackage(p), await document())
    expect([status, body.message]).toEqual([400, message])
    expect(body.error).toEqual(expect.any(String))
    expect((await p.reporter.get(`/projects/${p.id}/packages`)).body).toEqual([])
  })

  test.each(['a..b', 'Upper', '.hidden', 'node_modules', '@scope%2f..', 'x'.repeat(215)])(
    'refuses the name %s',
    async (name) => {
      const p = await w.project()
      const { status, body } = await p.developer.put(`/projects/${p.id}/packages/npm/${name}`, {})
      expect([status, body.message]).toEqual([400, { name: ['is invalid'] }])
    },
  )

  test('refuses what is no JSON, no base64 or has two attachments', async () => {
    const p = await w.project()
    const send = async (text: string) =>
      (await p.developer.send('PUT', npmPackage(p), { form: text })).body.message
    expect(await send('{"name":')).toBe('400 Bad request - the body is no JSON document of a package')
    const document = await documentOf()
    const [file] = Object.keys(document['_attachments'])
    const broken = { ...document, _attachments: { [String(file)]: { data: 'a'.repeat(5) } } }
    expect(await send(JSON.stringify(broken))).toBe(`400 Bad request - the attachment ${file} is no base64`)
    const cut = JSON.stringify(document).slice(0, -20)
    expect(await send(cut)).toBe('400 Bad request - the body is no JSON document of a package')
    const { _attachments: attachments } = document
    const two = { ...document, _attachments: { ...attachments, 'other.tgz': { data: 'AAAA' } } }
    expect(await send(JSON.stringify(two))).toBe('400 Bad request - there is more than one attachment')
    expect(await send('['.repeat(200))).toBe('400 Bad request - the body is no JSON document of a package')
  })

  test('refuses files past the maximum', async () => {
    const p = await w.project()
    await withSettings({ npm_max_file_size: 100 }, async () => {
      expect((await publishNpm(p.developer, p)).status).toBe(413)
    })
    expect((await publishNpm(p.developer, p)).status).toBe(200)
  })

  test('keeps nothing of an upload that breaks off, and takes it the next time', async () => {
    const p = await w.project()
    const document = JSON.stringify(await documentOf())
    const middle = document.indexOf('"data":"') + 50
    await breakOff(npmPackage(p), p.developer.token, document.slice(0, middle))
    expect((await p.reporter.get(`/projects/${p.id}/packages`)).body).toEqual([])
    expect((await publishNpm(p.developer, p)).status).toBe(200)
  })

  test('marks versions as deprecated, and takes that back', async () => {
    const p = await w.project()
    for (const version of ['1.0.0', '1.1.0']) await publishNpm(p.developer, p, { version })
    const { body: document } = await p.developer.get(npmPackage(p))
    document.versions['1.0.0'].deprecated = 'use 1.1.0'
    expect((await p.developer.put(npmPackage(p), document)).status).toBe(200)
    const messages = async () => {
      const { versions } = (await p.reporter.get(npmPackage(p))).body
      return [versions['1.0.0'].deprecated, versions['1.1.0'].deprecated]
    }
    expect(await messages()).toEqual(['use 1.1.0', undefined])
    const listed = (await p.reporter.get(`/projects/${p.id}/packages?status=deprecated`)).body
    expect(listed).toHaveLength(1)
    document.versions['1.0.0'].deprecated = ''
    await p.developer.put(npmPackage(p), document)
    expect(await messages()).toEqual([undefined, undefined])
    expect(
      (await p.developer.put(npmPackage(p, 'other'), { ...document, name: 'other', versions: {} })).status,
    ).toBe(404)
  })
})

describe('GET /projects/:id/packages/npm/:package_name', () => {
  test('answers 304 to whoever has it, until something changes', async () => {
    const p = await w.project()
    await publishNpm(p.developer, p)
    const first = await p.reporter.get(npmPackage(p))
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await p.reporter.get(npmPackage(p), { headers })).status).toBe(304)
    await publishNpm(p.developer, p, { version: '1.0.1' })
    expect((await p.reporter.get(npmPackage(p), { headers })).status).toBe(200)
  })

  test('says what is there by the media type that installs ask for', async () => {
    const p = await w.project()
    await publishNpm(p.developer, p)
    const accept = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'
    const answer = await p.reporter.get(npmPackage(p), { headers: { accept } })
    expect(answer.headers.get('content-type')).toBe('application/vnd.npm.install-v1+json')
    expect(JSON.parse(answer.text).name).toBe('tool')
    const head = await p.reporter.head(npmPackage(p))
    expect([head.status, head.text]).toEqual([200, ''])
  })

  test('names the highest release as latest once the version of that tag is gone', async () => {
    const p = await w.project()
    for (const version of ['1.9.0', '1.10.0', '2.0.0-rc.1', '1.10.1'])
      await publishNpm(p.developer, p, { version })
    const [{ id }] = (await p.reporter.get(`/projects/${p.id}/packages?package_version=1.10.1`)).body
    await p.maintainer.delete(`/projects/${p.id}/packages/${id}`)
    expect((await p.reporter.get(npmPackage(p))).body['dist-tags']).toEqual({ latest: '1.10.0' })
  })

  test('is 404 for a package that is not there, and asks strangers who they are', async () => {
    const p = await w.project()
    expect((await p.reporter.get(npmPackage(p))).body).toEqual({
      message: '404 Package Not Found',
      error: '404 Package Not Found',
    })
    const stranger = await p.anonymous.get(npmPackage(p))
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, expect.any(String)])
  })
})

describe('GET /groups/:id/-/packages/npm/:package_name', () => {
  test('has the versions of all projects below that the caller may read', async () => {
    const g = await w.group()
    const [one, two, closed] = [
      await w.project({ parent: g.id }),
      await w.project({ parent: g.id }),
      await w.project({ parent: g.id }),
    ]
    const path = `/groups/${g.id}/-/packages/npm/tool`
    expect((await g.reporter.get(path)).status).toBe(404)
    await publishNpm(w.root, one, { version: '1.0.0' })
    await publishNpm(w.root, two, { version: '2.0.0' })
    await publishNpm(w.root, closed, { version: '3.0.0' })
    await w.root.put(`/projects/${closed.id}`, { package_registry_access_level: 'disabled' })
    const versions = async (client: Client) => Object.keys((await client.get(path)).body.versions).toSorted()
    expect(await versions(g.reporter)).toEqual(['1.0.0', '2.0.0'])
    expect((await g.guest.get(path)).status).toBe(404)
    const { body } = await g.reporter.get(path)
    expect(body.versions['2.0.0'].dist.tarball).toContain(`/projects/${two.id}/`)
    const { token } = await deployToken(g, 'group', 'read_package_registry')
    expect(await versions(bearer(token))).toEqual(['1.0.0', '2.0.0'])
    const own = await deployToken(one, 'project', 'read_package_registry')
    expect((await bearer(own.token).get(path)).status).toBe(404)
    expect((await g.reporter.get(`/groups/${g.id}/-/packages/npm/-/package/tool/dist-tags`)).body).toEqual({
      latest: '2.0.0',
    })
  })
})

test('a job reads what its person may read in the groups above its project', async () => {
  const job = await runningJob()
  await publishNpm(job.client, job, { name: 'built' })
  const { body: project } = await job.developer.get(`/projects/${job.id}`)
  const path = `/groups/${project.namespace.id}/-/packages/npm`
  expect((await bearer(job.token).get(`${path}/built`)).status).toBe(200)
  expect((await bearer(job.token).get(`${path}/-/package/built/dist-tags`)).body).toEqual({ latest: '1.0.0' })
  const other = await w.group()
  expect((await bearer(job.token).get(`/groups/${other.id}/-/packages/npm/built`)).status).toBe(404)
})

describe('dist-tags', () => {
  test('are set, listed and deleted', async () => {
    const p = await w.project()
    for (const version of ['1.0.0', '2.0.0']) await publishNpm(p.developer, p, { version })
    const tags = `/projects/${p.id}/packages/npm/-/package/tool/dist-tags`
    expect((await p.reporter.get(tags)).body).toEqual({ latest: '2.0.0' })
    expect((await p.developer.put(`${tags}/stable`, '1.0.0')).status).toBe(204)
    expect((await p.reporter.get(tags)).body).toEqual({ latest: '2.0.0', stable: '1.0.0' })
    expect((await p.developer.put(`${tags}/stable`, '2.0.0')).status).toBe(204)
    expect((await p.reporter.get(npmPackage(p))).body['dist-tags']).toEqual({
      latest: '2.0.0',
      stable: '2.0.0',
    })
    expect((await p.developer.delete(`${tags}/stable`)).status).toBe(204)
    const gone = await p.developer.delete(`${tags}/stable`)
    expect([gone.status, gone.body.message]).toEqual([404, '404 Tag Not Found'])
    expect((await p.developer.delete(`${tags}/latest`)).body.message).toEqual({
      tag: ['latest cannot be deleted'],
    })
    const missing = await p.developer.put(`${tags}/next`, '9.9.9')
    expect([missing.status, missing.body.message]).toEqual([404, '404 Package Not Found'])
    expect((await p.developer.put(`${tags}/1.x`, '1.0.0')).body.message).toEqual({ tag: ['is invalid'] })
    expect((await p.reporter.put(`${tags}/next`, '1.0.0')).status).toBe(403)
  })
})

describe('a document that somebody has read', () => {
  const setTag = (project: { readonly id: number }, tag: string, version = '1.0.0') =>
    w.root.put(`/projects/${project.id}/packages/npm/-/package/tool/dist-tags/${tag}`, version)
  const tagsIn = async (path: string) => (await w.root.get(path)).body['dist-tags']

  test('is sent to nobody once a tag has changed', async () => {
    const p = await w.project()
    for (const version of ['1.0.0', '2.0.0']) await publishNpm(p.developer, p, { version })
    for (const version of ['1.0.0', '2.0.0', '1.0.0', '2.0.0', '1.0.0']) {
      const readers = Array.from({ length: 4 }, () => tagsIn(npmPackage(p)))
      expect((await setTag(p, 'next', version)).status).toBe(204)
      expect(await tagsIn(npmPackage(p))).toEqual({ latest: '2.0.0', next: version })
      await Promise.all(readers)
      expect(await tagsIn(npmPackage(p))).toEqual({ latest: '2.0.0', next: version })
    }
    await w.root.delete(`/projects/${p.id}/packages/npm/-/package/tool/dist-tags/next`)
    expect(await tagsIn(npmPackage(p))).toEqual({ latest: '2.0.0' })
  })

  test('is sent to nobody once a change is done that began before another, and ended behind it', async () => {
    const g = await w.group()
    const [one, two] = [await w.project({ parent: g.id }), await w.project({ parent: g.id })]
    await publishNpm(w.root, one)
    await publishNpm(w.root, two)
    const path = `/groups/${g.id}/-/packages/npm/tool`
    const early = await w.db.transaction().execute(async (holder) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`package ${one.id} npm tool`}, 0))`.execute(
        holder,
      )
      const setting = setTag(one, 'early')
      await lockWaiters(1)
      expect((await setTag(two, 'late')).status).toBe(204)
      expect(await tagsIn(path)).toEqual({ latest: '1.0.0', late: '1.0.0' })
      return { setting }
    })
    expect((await early.setting).status).toBe(204)
    expect(await tagsIn(path)).toEqual({ latest: '1.0.0', early: '1.0.0', late: '1.0.0' })
  })
})

describe('who publishes', () => {
  test('is told by bearer tokens and HTTP Basic', async () => {
    const p = await w.project()
    const { token, username } = await deployToken(p, 'project', 'write_package_registry')
    const clients = [
      bearer(p.developer.token),
      basicClient('any', p.developer.token),
      bearer(token),
      basicClient(username, token),
    ]
    for (const [index, client] of clients.entries()) {
      expect((await publishNpm(client, p, { version: `1.0.${index}` })).status).toBe(200)
      expect((await client.get(npmPackage(p))).status).toBe(200)
    }
  })

  test('is limited by rules that protect packages', async () => {
    const p = await w.project()
    await p.maintainer.post(`/projects/${p.id}/packages/protection/rules`, {
      package_name_pattern: '@scope/*',
      package_type: 'npm',
      minimum_access_level_for_push: 'maintainer',
    })
    const name = '@scope/tool'
    expect((await publishNpm(p.developer, p, { name })).status).toBe(403)
    expect((await publishNpm(p.maintainer, p, { name })).status).toBe(200)
    const tags = `/projects/${p.id}/packages/npm/-/package/@scope%2ftool/dist-tags`
    expect((await p.developer.put(`${tags}/next`, '1.0.0')).status).toBe(403)
    expect((await publishNpm(p.developer, p)).status).toBe(200)
  })
})

test('versions are in the order of Semantic Versioning', () => {
  const order = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.10.0',
    '2.0.0-0',
  ]
  expect(order.toReversed().toSorted(compareVersions)).toEqual(order)
  expect(compareVersions('1.0.0+a', '1.0.0+b')).toBe(0)
})
