import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { runningJob } from '#ci/job-tokens/test-support.ts'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { withSettings } from '#identity/users/test-support.ts'
import { basicClient, deployToken, genericFile, publishGeneric } from '../../packages/test-support.ts'

const bearer = (token: string) => new Client(w.url, { authorization: `Bearer ${token}` })

describe('PUT /projects/:id/packages/generic/:package_name/:package_version/:file_name', () => {
  test('publishes a file, which is downloaded whole, in part and not again', async () => {
    const p = await w.project()
    expect(await publishGeneric(p.developer, p, { content: 'hello world' })).toMatchObject({
      status: 201,
      body: { message: '201 Created' },
    })
    const whole = await p.reporter.get(genericFile(p))
    expect([whole.status, whole.text]).toEqual([200, 'hello world'])
    expect(whole.headers.get('content-disposition')).toBe('attachment; filename="tool.txt"')
    const part = await p.reporter.get(genericFile(p), { headers: { range: 'bytes=6-' } })
    expect([part.status, part.text]).toEqual([206, 'world'])
    const known = { 'if-none-match': whole.headers.get('etag') ?? '' }
    expect((await p.reporter.get(genericFile(p), { headers: known })).status).toBe(304)
    const head = await p.reporter.head(genericFile(p))
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '11'])
  })

  test('answers with the file where that is asked for', async () => {
    const p = await w.project()
    const { status, body } = await publishGeneric(p.developer, p, { query: '?select=package_file' })
    const digest = (name: string) => createHash(name).update('hello').digest('hex')
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      package_id: expect.any(Number),
      created_at: expect.any(String),
      file_name: 'tool.txt',
      size: 5,
      file_md5: digest('md5'),
      file_sha1: digest('sha1'),
      file_sha256: digest('sha256'),
      pipelines: [],
    })
  })

  test('keeps the newest of several under one name, and what belongs to another version', async () => {
    const p = await w.project()
    for (const content of ['one', 'two']) await publishGeneric(p.developer, p, { content })
    await publishGeneric(p.developer, p, { version: '2.0.0', content: 'three' })
    expect((await p.reporter.get(genericFile(p))).text).toBe('two')
    expect((await p.reporter.get(genericFile(p, { version: '2.0.0' }))).text).toBe('three')
    const [first] = (await p.reporter.get(`/projects/${p.id}/packages`)).body
    const files = await p.reporter.get(`/projects/${p.id}/packages/${first.id}/package_files`)
    expect(files.body.map(({ size }: { size: number }) => size)).toEqual([3, 3])
  })

  test('takes files with folders', async () => {
    const p = await w.project()
    const file = 'bin/linux-x86~1/tool@2'
    expect((await publishGeneric(p.developer, p, { file })).status).toBe(201)
    const { status, headers } = await p.reporter.get(genericFile(p, { file }))
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="tool_2"; filename*=UTF-8''tool%402`,
    ])
  })

  test.each([
    [{ name: 'a%20b' }, { package_name: ['is invalid'] }],
    [{ name: 'a..b' }, { package_name: ['is invalid'] }],
    [{ name: 'a%2Fb' }, { package_name: ['is invalid'] }],
    [{ name: 'x'.repeat(256) }, { package_name: ['is too long (maximum is 255 characters)'] }],
    [{ version: '1..2' }, { package_version: ['is invalid'] }],
    [{ version: '1%00' }, undefined],
    [{ file: '../../etc/passwd' }, { file_name: ['is invalid'] }],
    [{ file: '/etc/passwd' }, { file_name: ['is invalid'] }],
    [{ file: 'a//b' }, { file_name: ['is invalid'] }],
    [{ file: 'a\\b' }, { file_name: ['is invalid'] }],
    [{ file: '~root' }, { file_name: ['is invalid'] }],
    [{ file: 'x'.repeat(256) }, { file_name: ['is too long (maximum is 255 characters)'] }],
  ])('refuses names that are more than names: %j', async (named, message) => {
    const p = await w.project()
    const { status, body } = await p.developer.send('PUT', genericFile(p, named), { form: 'x' })
    expect(status).toBe(400)
    if (message !== undefined) expect(body.message).toEqual(message)
    expect((await p.reporter.get(`/projects/${p.id}/packages`)).body).toEqual([])
  })

  test('refuses files past the maximum, and says how large they may be', async () => {
    const p = await w.project()
    await withSettings({ generic_packages_max_file_size: 4 }, async () => {
      const { status, body } = await publishGeneric(p.developer, p, { content: 'hello' })
      expect([status, body.message]).toEqual([413, expect.stringContaining('4')])
      expect((await publishGeneric(p.developer, p, { content: 'four' })).status).toBe(201)
    })
  })

  test('refuses what the packages of a project may not take, with the reason', async () => {
    const p = await w.project()
    await withSettings({ packages_max_project_size: 1 }, async () => {
      expect((await publishGeneric(p.developer, p, { content: 'x'.repeat(700_000) })).status).toBe(201)
      const { status, body } = await publishGeneric(p.developer, p, { content: 'y'.repeat(700_000) })
      expect([status, body.message]).toEqual([
        507,
        expect.stringContaining('more than 1 MB, the maximum on this server. Delete some'),
      ])
    })
    expect((await publishGeneric(p.developer, p, { content: 'y'.repeat(700_000) })).status).toBe(201)
  })

  test('refuses more files and versions than there may be', async () => {
    const p = await w.project()
    await withSettings({ packages_max_files: 1, packages_max_versions: 1 }, async () => {
      expect((await publishGeneric(p.developer, p)).status).toBe(201)
      expect((await publishGeneric(p.developer, p, { file: 'more' })).body.message).toBe(
        'The package has 1 files, the maximum on this server. Delete some, or publish another version.',
      )
      expect((await publishGeneric(p.developer, p, { version: '2' })).body.message).toBe(
        'The package has 1 versions, the maximum on this server. Delete some.',
      )
    })
  })

  test('two that publish the same at once both succeed, as one package', async () => {
    const p = await w.project()
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map((file) => publishGeneric(p.developer, p, { file })),
    )
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect((await p.reporter.get(`/projects/${p.id}/packages`)).body).toHaveLength(1)
  })
})

describe('whether a file may be published again', () => {
  test('is a rule of the nearest group that has one', async () => {
    const g = await w.group()
    const p = await w.project({ parent: g.id })
    const settings = `/groups/${g.id}/packages/settings`
    expect((await g.maintainer.get(settings)).body).toEqual({
      generic_duplicates_allowed: true,
      generic_duplicate_exception_regex: '',
      maven_duplicates_allowed: true,
      maven_duplicate_exception_regex: '',
    })
    const given = { generic_duplicates_allowed: false, generic_duplicate_exception_regex: 'snap.*' }
    expect((await g.maintainer.put(settings, {})).status).toBe(200)
    expect((await g.maintainer.put(settings, given)).body).toMatchObject(given)
    expect((await g.maintainer.put(settings, {})).body).toMatchObject(given)
    expect((await publishGeneric(p.admin, p)).status).toBe(201)
    const again = await publishGeneric(p.admin, p)
    expect([again.status, again.body.message]).toEqual([400, 'Duplicate package is not allowed'])
    expect((await publishGeneric(p.admin, p, { file: 'other' })).status).toBe(201)
    for (const _ of ['first', 'again'])
      expect((await publishGeneric(p.admin, p, { name: 'snapshot' })).status).toBe(201)
    const wrong = await g.maintainer.put(settings, { generic_duplicate_exception_regex: '(' })
    expect([wrong.status, wrong.body.message]).toEqual([
      400,
      { generic_duplicate_exception_regex: ['is invalid'] },
    ])
  })

  test('is changed in part: what is not named stays, also what the group around it says', async () => {
    const around = await w.group()
    const inner = await w.group({ parent: around.id })
    const given = { maven_duplicates_allowed: false, maven_duplicate_exception_regex: 'snap.*' }
    await around.maintainer.put(`/groups/${around.id}/packages/settings`, given)
    const settings = `/groups/${inner.id}/packages/settings`
    const change = async (json: object) => (await around.maintainer.put(settings, json)).body
    expect(await change({ generic_duplicates_allowed: false })).toEqual({
      ...given,
      generic_duplicates_allowed: false,
      generic_duplicate_exception_regex: '',
    })
    await Promise.all([
      change({ generic_duplicate_exception_regex: 'a.*' }),
      change({ maven_duplicates_allowed: true }),
    ])
    expect(await change({})).toEqual({
      generic_duplicates_allowed: false,
      generic_duplicate_exception_regex: 'a.*',
      maven_duplicates_allowed: true,
      maven_duplicate_exception_regex: 'snap.*',
    })
  })
})

describe('who publishes and downloads', () => {
  test('the tokens of people in every form', async () => {
    const p = await w.project()
    const { token, username } = p.developer
    for (const client of [bearer(token), basicClient(username, token), basicClient('any', token)]) {
      expect((await publishGeneric(client, p)).status).toBe(201)
      expect((await client.get(genericFile(p))).status).toBe(200)
    }
  })

  test('deploy tokens of the project and of groups above, by their scope', async () => {
    const g = await w.group()
    const p = await w.project({ parent: g.id })
    const writer = await deployToken(g, 'group', 'write_package_registry')
    const reader = await deployToken(p, 'project', 'read_package_registry')
    const forms = ({ username, token }: typeof writer) => [
      new Client(w.url, { 'deploy-token': token }),
      bearer(token),
      basicClient(username, token),
    ]
    for (const client of forms(writer)) {
      expect((await publishGeneric(client, p)).status).toBe(201)
      expect((await client.get(genericFile(p))).status).toBe(200)
    }
    for (const client of forms(reader)) {
      expect((await client.get(genericFile(p))).status).toBe(200)
      const { status, body } = await publishGeneric(client, p)
      expect([status, body]).toEqual([
        403,
        {
          message: '403 Forbidden',
          error: 'insufficient_scope',
          error_description: expect.any(String),
          scope: 'write_package_registry',
        },
      ])
    }
    expect((await basicClient('other', writer.token).get(genericFile(p))).status).toBe(401)
    expect((await bearer(writer.token).get(`/projects/${p.id}`)).status).toBe(401)
    expect((await bearer(writer.token).get(`/projects/${p.id}/packages`)).status).toBe(401)
  })

  test('deploy tokens of other places reach nothing', async () => {
    const [p, other] = [await w.project(), await w.project({ visibility: 'internal' })]
    const { token } = await deployToken(await w.project(), 'project', 'write_package_registry')
    for (const place of [p, other]) {
      expect((await bearer(token).get(genericFile(place))).status).toBe(404)
      expect((await publishGeneric(bearer(token), place)).status).toBe(404)
    }
    const open = await w.project({ visibility: 'public' })
    await publishGeneric(open.developer, open)
    expect((await bearer(token).get(genericFile(open))).status).toBe(200)
    expect((await publishGeneric(bearer(token), open)).status).toBe(403)
  })

  test('jobs, which leave their pipeline with what they publish', async () => {
    const { id, client, token, pipeline, developer } = await runningJob()
    expect((await publishGeneric(client, { id }, { name: 'by-job' })).status).toBe(201)
    expect((await publishGeneric(bearer(token), { id }, { name: 'by-job' })).status).toBe(201)
    const read = await basicClient('gitlab-ci-token', token).get(genericFile({ id }, { name: 'by-job' }))
    expect(read.status).toBe(200)
    const [found] = (await developer.get(`/projects/${id}/packages?package_name=by-job`)).body
    expect(found.pipeline).toMatchObject({ id: pipeline.id, user: { username: developer.username } })
    const pipelines = await developer.get(`/projects/${id}/packages/${found.id}/pipelines`)
    expect(pipelines.body).toEqual([found.pipeline])
  })

  test('strangers are asked for credentials, also where nothing is to be seen', async () => {
    const p = await w.project()
    const answer = await p.anonymous.get(genericFile(p))
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Forgelet", charset="UTF-8"',
    ])
    const open = await w.project({ visibility: 'public' })
    expect((await open.anonymous.get(genericFile(open))).status).toBe(404)
    expect((await publishGeneric(open.anonymous, open)).status).toBe(401)
  })
})
