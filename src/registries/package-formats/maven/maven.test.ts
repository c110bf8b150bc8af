import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { runningJob } from '#ci/job-tokens/test-support.ts'
import { withSettings } from '#identity/users/test-support.ts'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { basicClient, deployToken } from '../../packages/test-support.ts'
import { mavenFile, publishMaven } from './test-support.ts'

const METADATA = 'com/example/app/maven-metadata.xml'
const SNAPSHOT = 'com/example/app/1.1-SNAPSHOT'
const digest = (name: string, text: string) => createHash(name).update(text).digest('hex')
const names = async (p: { readonly reporter: Client; readonly id: number }) =>
  (await p.reporter.get(`/projects/${p.id}/packages?include_versionless=true`)).body.map(
    (one: { readonly name: string; readonly version: string | null }) => `${one.name} ${one.version}`,
  )

describe('PUT /projects/:id/packages/maven/*path/:file_name', () => {
  test('publishes files of versions, and what is about all of them', async () => {
    const p = await w.project()
    expect(await publishMaven(p.developer, p)).toMatchObject({ status: 200, body: { message: '200 OK' } })
    for (const path of ['com/example/app/1.0/app-1.0.pom', METADATA, `${SNAPSHOT}/maven-metadata.xml`])
      expect((await publishMaven(p.developer, p, path)).status).toBe(200)
    const build = `${SNAPSHOT}/app-1.1-20260101.120000-1.jar`
    expect((await publishMaven(p.developer, p, build, 'one')).status).toBe(200)
    expect(await names(p)).toEqual([
      'com/example/app 1.0',
      'com/example/app null',
      'com/example/app 1.1-SNAPSHOT',
    ])
    expect((await p.reporter.get(mavenFile(p, build))).text).toBe('one')
    expect((await p.reporter.get(`/projects/${p.id}/packages`)).body).toHaveLength(2)
  })

  test('takes slashes in both forms', async () => {
    const p = await w.project()
    const encoded = 'com%2Fexample%2Fapp%2F1.0/app-1.0.jar'
    expect((await publishMaven(p.developer, p, encoded)).status).toBe(200)
    expect((await p.reporter.get(mavenFile(p))).text).toBe('hello world')
    expect((await p.reporter.get(mavenFile(p, encoded))).text).toBe('hello world')
  })

  test('looks whether digests are those of what is there', async () => {
    const p = await w.project()
    const jar = 'com/example/app/1.0/app-1.0.jar'
    expect((await publishMaven(p.developer, p, `${jar}.sha1`, 'x')).status).toBe(404)
    await publishMaven(p.developer, p)
    for (const name of ['md5', 'sha1', 'sha256', 'sha512']) {
      const right = digest(name, 'hello world')
      expect((await publishMaven(p.developer, p, `${jar}.${name}`, right)).status).toBe(204)
      expect(
        (await publishMaven(p.developer, p, `${jar}.${name}`, `${right.toUpperCase()}  app.jar\n`)).status,
      ).toBe(204)
      const wrong = await publishMaven(p.developer, p, `${jar}.${name}`, digest(name, 'other'))
      expect([wrong.status, wrong.body.message]).toEqual([
        409,
        `409 Conflict - this is not the ${name} of app-1.0.jar as it is here`,
      ])
      const read = await p.reporter.get(mavenFile(p, `${jar}.${name}`))
      expect([read.status, read.text, read.headers.get('content-type')]).toEqual([200, right, 'text/plain'])
      const head = await p.reporter.head(mavenFile(p, `${jar}.${name}`))
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(right.length)])
    }
    expect((await publishMaven(p.developer, p, `${jar}.md5`, 'x'.repeat(2_000))).status).toBe(413)
    expect((await p.reporter.get(mavenFile(p, 'com/example/app/1.0/none.jar.sha1'))).status).toBe(404)
  })

  test('keeps the newest list of versions alone', async () => {
    const p = await w.project()
    for (const text of ['one', 'two', 'three']) await publishMaven(p.developer, p, METADATA, text)
    expect((await p.reporter.get(mavenFile(p, METADATA))).text).toBe('three')
    const [{ id }] = (await p.reporter.get(`/projects/${p.id}/packages?include_versionless=true`)).body
    expect((await p.reporter.get(`/projects/${p.id}/packages/${id}/package_files`)).body).toHaveLength(1)
  })

  test('refuses what exists where a group says so, but never a new list of versions or build', async () => {
    const g = await w.group()
    const p = await w.project({ parent: g.id })
    const rule = { maven_duplicates_allowed: false, maven_duplicate_exception_regex: '.*-beta' }
    expect((await g.maintainer.put(`/groups/${g.id}/packages/settings`, rule)).status).toBe(200)
    const publish = (path?: string) => publishMaven(w.root, p, path)
    expect((await publish()).status).toBe(200)
    const again = await publish()
    expect([again.status, again.body.message]).toEqual([400, 'Duplicate package is not allowed'])
    const others = [
      METADATA,
      `${SNAPSHOT}/maven-metadata.xml`,
      'com/example/app/1.0-beta/app-1.0-beta.jar',
      'com/example/app/1.0/app-1.0.pom',
    ]
    for (const path of others) expect((await publish(path)).status).toBe(200)
    for (const path of others.slice(0, 3)) expect((await publish(path)).status).toBe(200)
  })

  test.each([
    '1.0/app-1.0.jar',
    'com%2F%2E%2E%2Fapp%2F1.0/app-1.0.jar',
    'com%2F..%2Fapp%2F1.0/app-1.0.jar',
    'com/example/app/1.0/a%20b.jar',
    'com/example/app/1.0/a%2F..%2Fb.jar',
    'com/example/app/1.0/a%5Cb.jar',
    'com/example/app/1.0/a%00b.jar',
    `com/example/app/1.0/${'x'.repeat(256)}`,
    `${'x'.repeat(300)}/1.0/x.jar`,
  ])('refuses paths that are more than paths: %s', async (path) => {
    const p = await w.project()
    expect((await publishMaven(p.developer, p, path)).status).toBe(400)
    expect([400, 404]).toContain((await p.reporter.get(mavenFile(p, path))).status)
    expect(await names(p)).toEqual([])
  })

  test('refuses files past the maximum, and says how large they may be', async () => {
    const p = await w.project()
    await withSettings({ maven_max_file_size: 10 }, async () => {
      const { status, body } = await publishMaven(p.developer, p)
      expect([status, body.message]).toEqual([413, expect.stringContaining('10 bytes')])
    })
  })

  test('two that publish the same file at once both succeed, as one package', async () => {
    const p = await w.project()
    const all = await Promise.all(['a', 'b', 'c'].map((text) => publishMaven(p.developer, p, METADATA, text)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await names(p)).toEqual(['com/example/app null'])
  })

  test('leaves nothing of an upload that ends early', async () => {
    const p = await w.project()
    const socket = connect(Number(new URL(w.url).port), '127.0.0.1')
    socket.write(
      `PUT /api/v4${mavenFile(p)} HTTP/1.1\r\nhost: x\r\nprivate-token: ${p.developer.token}\r\ncontent-length: 1000\r\n\r\nhalf`,
    )
    await new Promise<void>((done) => socket.end(() => done()))
    expect((await p.reporter.get(mavenFile(p))).status).toBe(404)
    expect(await names(p)).toEqual([])
  })

  test('is kept from whoever lacks the role that a rule asks for', async () => {
    const p = await w.project()
    const rule = {
      package_name_pattern: 'com/example/*',
      package_type: 'maven',
      minimum_access_level_for_push: 'maintainer',
    }
    expect((await p.maintainer.post(`/projects/${p.id}/packages/protection/rules`, rule)).status).toBe(201)
    expect((await publishMaven(p.developer, p)).status).toBe(403)
    expect((await publishMaven(p.developer, p, 'org/other/1.0/other-1.0.jar')).status).toBe(200)
    expect((await publishMaven(p.maintainer, p)).status).toBe(200)
  })
})

describe('what Maven reads', () => {
  test('files whole, in part and by HEAD', async () => {
    const p = await w.project()
    await publishMaven(p.developer, p)
    const part = await p.reporter.get(mavenFile(p), { headers: { range: 'bytes=6-' } })
    expect([part.status, part.text]).toEqual([206, 'world'])
    const head = await p.reporter.head(mavenFile(p))
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '11'])
    expect((await p.reporter.get(mavenFile(p, METADATA))).status).toBe(404)
  })

  test('of all projects below a group that the caller may read, the newest', async () => {
    const g = await w.group()
    const [open, closed] = [await w.project({ parent: g.id }), await w.project({ parent: g.id })]
    await publishMaven(w.root, open, undefined, 'open')
    await publishMaven(w.root, closed, undefined, 'closed')
    const member = await w.user()
    await w.member(open.namespaceId, member, 20)
    const file = mavenFile(g, undefined, 'groups')
    expect((await member.get(file)).text).toBe('open')
    expect((await g.reporter.get(file)).text).toBe('closed')
    expect((await g.reporter.get(`${file}.sha1`)).text).toBe(digest('sha1', 'closed'))
    const { token } = await deployToken(g, 'group', 'read_package_registry')
    expect((await new Client(w.url, { 'deploy-token': token }).get(file)).text).toBe('closed')
  })

  test('of the project that a package is named after', async () => {
    const p = await w.project()
    const [path, whole] = [`${p.fullPath}/1.0/app-1.0.jar`, `/packages/maven/${p.fullPath}`]
    await publishMaven(p.developer, p, path)
    await publishMaven(p.developer, p, `${p.fullPath}/maven-metadata.xml`, 'list')
    await publishMaven(p.developer, p)
    expect((await p.reporter.get(`/packages/maven/${path}`)).text).toBe('hello world')
    expect((await p.reporter.get(`${whole}/maven-metadata.xml`)).text).toBe('list')
    expect((await p.reporter.get('/packages/maven/com/example/app/1.0/app-1.0.jar')).status).toBe(404)
    expect((await (await w.user()).get(`/packages/maven/${path}`)).status).toBe(404)
    expect((await p.guest.get(`/packages/maven/${path}`)).status).toBe(403)
    const stranger = await p.anonymous.get(`/packages/maven/${path}`)
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Forgelet", charset="UTF-8"',
    ])
    const { username, token } = await deployToken(p, 'project', 'read_package_registry')
    expect((await basicClient(username, token).get(`/packages/maven/${path}`)).text).toBe('hello world')
  })
})

describe('who publishes and downloads', () => {
  test('people, deploy tokens and jobs by header and by Basic', async () => {
    const p = await w.project()
    const { username, token } = await deployToken(p, 'project', 'write_package_registry')
    const clients = [
      basicClient('me', p.developer.token),
      basicClient(username, token),
      new Client(w.url, { 'deploy-token': token }),
    ]
    for (const client of clients) {
      expect((await publishMaven(client, p)).status).toBe(200)
      expect((await client.get(mavenFile(p))).status).toBe(200)
    }
    const job = await runningJob()
    for (const client of [job.client, basicClient('gitlab-ci-token', job.token)]) {
      expect((await publishMaven(client, job)).status).toBe(200)
      expect((await client.get(mavenFile(job))).status).toBe(200)
    }
    const own = `${job.fullPath}/1.0/app-1.0.jar`
    expect((await publishMaven(job.client, job, own)).status).toBe(200)
    expect((await job.client.get(`/packages/maven/${own}`)).text).toBe('hello world')
    const reader = await deployToken(p, 'project', 'read_package_registry')
    const refused = await publishMaven(basicClient(reader.username, reader.token), p)
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
    expect((await p.anonymous.get(mavenFile(p))).status).toBe(401)
  })
})
