import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { runningJob, withRunningJob } from '#ci/job-tokens/test-support.ts'
import { withSettings } from '#identity/users/test-support.ts'
import { Client } from '#test/client.ts'
import { unique, w } from '#test/world.ts'
import { basicClient, deployToken } from '../../packages/test-support.ts'
import { publishPython, pypi, pythonUpload, type PythonUpload } from './test-support.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const names = async (p: { readonly reporter: Client; readonly id: number }) =>
  (await p.reporter.get(`/projects/${p.id}/packages`)).body.map(
    (one: { readonly name: string; readonly version: string }) => `${one.name} ${one.version}`,
  )

describe('POST /projects/:id/packages/pypi', () => {
  test('publishes files of one version, under its usual spelling', async () => {
    const p = await w.project()
    const digests = {
      sha256_digest: sha256('hello world'),
      md5_digest: createHash('md5').update('hello world').digest('hex'),
    }
    expect(await publishPython(p.developer, p, { version: '1.0-beta1', fields: digests })).toMatchObject({
      status: 201,
      body: { message: '201 Created' },
    })
    const wheel = { name: 'my_TOOL', version: '1.0b1', file: 'my_tool-1.0b1-py3-none-any.whl' }
    expect((await publishPython(p.developer, p, wheel)).status).toBe(201)
    expect(await names(p)).toEqual(['my-tool 1.0b1'])
  })

  test('refuses a file that exists, as programs know it that skip those', async () => {
    const p = await w.project()
    expect((await publishPython(p.developer, p)).status).toBe(201)
    const { status, body } = await publishPython(p.developer, p, { content: 'other' })
    expect([status, body.message]).toEqual([
      400,
      '400 Bad request - Validation failed: File name has already been taken: the file already exists',
    ])
    expect((await publishPython(p.developer, p, { file: 'my-tool-1.0.zip' })).status).toBe(201)
  })

  test('of two that publish the same file at once, one is refused', async () => {
    const p = await w.project()
    const all = await Promise.all([1, 2, 3].map(() => publishPython(p.developer, p)))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 400)).toHaveLength(2)
  })

  test.each([
    [
      { fields: { sha256_digest: '0'.repeat(64) } },
      { sha256_digest: ['is not that of the bytes that came'] },
    ],
    [{ fields: { md5_digest: 'ff' } }, { md5_digest: ['is not that of the bytes that came'] }],
    [{ name: '../evil' }, { name: ['is invalid'] }],
    [{ name: 'evil-' }, { name: ['is invalid'] }],
    [{ name: 'x'.repeat(256) }, { name: ['is invalid'] }],
    [{ version: 'latest' }, { version: ['is invalid'] }],
    [{ version: '1/../2' }, { version: ['is invalid'] }],
    [{ fields: { requires_python: '>=3; rm' } }, { requires_python: ['is invalid'] }],
    ...[
      'other-1.0.tar.gz',
      'my_tool-2.0.tar.gz',
      'my_tool-1.0.exe',
      'my_tool-1.0.whl',
      'my_tool-1.0..tar.gz',
      'my tool-1.0.tar.gz',
      '<b>-1.0.zip',
      '',
    ].map((file) => [
      { file },
      { content: ['should be a wheel or source archive that is named after its package and version'] },
    ]),
  ] as readonly (readonly [PythonUpload, object])[])(
    'refuses what is not what it says: %j',
    async (upload, message) => {
      const p = await w.project()
      const { status, body } = await publishPython(p.developer, p, upload)
      expect([status, body.message]).toEqual([400, message])
      expect(await names(p)).toEqual([])
    },
  )

  test('takes the last part of a name with folders', async () => {
    const p = await w.project()
    expect((await publishPython(p.developer, p, { file: '../../my_tool-1.0.tar.gz' })).status).toBe(201)
    expect((await p.reporter.get(`${pypi(p)}/simple/my-tool`)).text).toContain('>my_tool-1.0.tar.gz</a>')
  })

  test('refuses bodies without what it needs', async () => {
    const p = await w.project()
    const without = async (field: string) => {
      const form = pythonUpload()
      form.delete(field)
      return (await p.developer.send('POST', pypi(p), { form })).body.message
    }
    expect(await without('content')).toBe('400 Bad request - content is missing')
    expect(await without('name')).toBe('400 Bad request - name is missing')
    expect(await without('version')).toBe('400 Bad request - version is missing')
    expect((await p.developer.post(pypi(p), { name: 'x' })).body.message).toBe(
      '400 Bad request - the body should be multipart/form-data with the part content',
    )
  })

  test('refuses bodies with more than it needs', async () => {
    const p = await w.project()
    const withParts = async (...parts: readonly (readonly [name: string, bytes: number])[]) => {
      const form = pythonUpload()
      for (const [name, bytes] of parts) form.append(name, new Blob(['x'.repeat(bytes)]), 'part')
      return (await p.developer.send('POST', pypi(p), { form })).body.message
    }
    expect(await withParts(['gpg_signature', 1_000])).toBe('201 Created')
    expect(await withParts(['content', 1])).toBe('400 Bad request - there is more than one file')
    expect(await withParts(['a', 17 * 1024 ** 2])).toBe('400 Bad request - the body has too large parts')
    expect(await withParts(['a', 1], ['b', 1], ['c', 1])).toBe(
      '400 Bad request - the body has too many parts',
    )
    const form = pythonUpload()
    for (let n = 0; n < 2_000; n += 1) form.append('classifiers', 'x')
    expect((await p.developer.send('POST', pypi(p), { form })).body.message).toBe(
      '400 Bad request - the body has too many parts',
    )
  })

  test('refuses files past the maximum, and says how large they may be', async () => {
    const p = await w.project()
    await withSettings({ pypi_max_file_size: 10 }, async () => {
      const { status, body } = await publishPython(p.developer, p)
      expect([status, body.message]).toEqual([413, expect.stringContaining('10 bytes')])
    })
  })

  test('leaves nothing of an upload that ends early', async () => {
    const p = await w.project()
    const { port } = new URL(w.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      `POST /api/v4${pypi(p)} HTTP/1.1\r\nhost: x\r\nprivate-token: ${p.developer.token}\r\ncontent-length: 1000\r\n` +
        'content-type: multipart/form-data; boundary=b\r\n\r\n--b\r\ncontent-disposition: form-data; name="content"; filename="my_tool-1.0.zip"\r\n\r\nhalf',
    )
    await new Promise<void>((done) => socket.end(() => done()))
    expect(await names(p)).toEqual([])
    expect((await publishPython(p.developer, p)).status).toBe(201)
  })

  test('is kept from whoever lacks the role that a rule asks for, in any spelling', async () => {
    const p = await w.project()
    const rule = {
      package_name_pattern: 'My_T*',
      package_type: 'pypi',
      minimum_access_level_for_push: 'maintainer',
    }
    expect((await p.maintainer.post(`/projects/${p.id}/packages/protection/rules`, rule)).status).toBe(201)
    expect((await publishPython(p.developer, p)).status).toBe(403)
    expect((await publishPython(p.maintainer, p)).status).toBe(201)
  })
})

describe('what pip reads', () => {
  test('the index of a project, as pages and as JSON', async () => {
    const p = await w.project()
    await publishPython(p.developer, p, { fields: { requires_python: '>=3.8, <4' } })
    await publishPython(p.developer, p, { name: 'Other', file: 'other-1.0.zip' })
    const base = `${w.url}/api/v4${pypi(p)}`
    const index = await p.reporter.get(`${pypi(p)}/simple/`)
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect([...index.text.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].map(([, ...link]) => link)).toEqual([
      [`${base}/simple/my-tool/`, 'my-tool'],
      [`${base}/simple/other/`, 'other'],
    ])
    const url = `${base}/files/${sha256('hello world')}/my_tool-1.0.tar.gz`
    for (const spelled of ['my-tool', 'My.Tool/', 'MY__tool']) {
      const { status, text } = await p.reporter.get(`${pypi(p)}/simple/${spelled}`)
      expect(status).toBe(200)
      expect(text).toContain(
        `<a href="${url}#sha256=${sha256('hello world')}" data-requires-python="&gt;=3.8, &lt;4">my_tool-1.0.tar.gz</a>`,
      )
    }
    const accept =
      'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01'
    const json = await p.reporter.get(`${pypi(p)}/simple/my-tool`, { headers: { accept } })
    expect(json.headers.get('content-type')).toBe('application/vnd.pypi.simple.v1+json')
    expect(JSON.parse(json.text)).toEqual({
      meta: { 'api-version': '1.1' },
      name: 'my-tool',
      versions: ['1.0'],
      files: [
        {
          filename: 'my_tool-1.0.tar.gz',
          url,
          hashes: { sha256: sha256('hello world') },
          'requires-python': '>=3.8, <4',
          size: 11,
          'upload-time': expect.stringMatching(/^20/),
        },
      ],
    })
    const all = await p.reporter.get(`${pypi(p)}/simple`, { headers: { accept } })
    expect(JSON.parse(all.text).projects).toEqual([{ name: 'my-tool' }, { name: 'other' }])
    expect((await p.reporter.get(`${pypi(p)}/simple/none`)).status).toBe(404)
    expect((await p.reporter.head(`${pypi(p)}/simple`)).text).toBe('')
  })

  test('files whole, in part and by HEAD', async () => {
    const p = await w.project()
    await publishPython(p.developer, p)
    const file = `${pypi(p)}/files/${sha256('hello world')}/my_tool-1.0.tar.gz`
    expect((await p.reporter.get(file)).text).toBe('hello world')
    const part = await p.reporter.get(file, { headers: { range: 'bytes=6-' } })
    expect([part.status, part.text]).toEqual([206, 'world'])
    const head = await p.reporter.head(file)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '11'])
    for (const wrong of [file.replace('1.0', '1.1'), file.replace(sha256('hello world'), 'zz'), `${file}%00`])
      expect([400, 404]).toContain((await p.reporter.get(wrong)).status)
  })

  test('of all projects below a group that the caller may read', async () => {
    const g = await w.group()
    const [open, closed] = [await w.project({ parent: g.id }), await w.project({ parent: g.id })]
    await publishPython(w.root, open)
    await publishPython(w.root, closed, { name: 'secret', file: 'secret-1.0.zip', content: 'secret' })
    const base = `/groups/${g.id}/-/packages/pypi`
    const seen = async (client: Client) =>
      [...(await client.get(`${base}/simple`)).text.matchAll(/simple\/([\w-]+)\//g)].map(([, name]) => name)
    expect(await seen(g.reporter)).toEqual(['my-tool', 'secret'])
    const member = await w.user()
    await w.member(open.namespaceId, member, 20)
    expect(await seen(member)).toEqual(['my-tool'])
    const page = await member.get(`${base}/simple/my-tool`)
    const [, url = ''] = /href="([^"#]+)#/.exec(page.text) ?? []
    expect(url.startsWith(`${w.url}/api/v4${base}/files/`)).toBe(true)
    expect((await member.get(url)).text).toBe('hello world')
    const secret = `${base}/files/${sha256('secret')}/secret-1.0.zip`
    expect((await member.get(secret)).status).toBe(404)
    expect((await g.reporter.get(secret)).text).toBe('secret')
    const { username, token } = await deployToken(g, 'group', 'read_package_registry')
    expect(await seen(basicClient(username, token))).toEqual(['my-tool', 'secret'])
    const one = await deployToken(open, 'project', 'read_package_registry')
    expect((await basicClient(one.username, one.token).get(`${base}/simple`)).status).toBe(404)
  })

  test('of a group, a job reads of the projects that let it in', async () => {
    const g = await w.group()
    const job = await withRunningJob({ parent: g.id })
    const [other, open] = [await w.project({ parent: g.id }), await w.project({ parent: g.id })]
    await publishPython(w.root, job, { name: 'own', file: 'own-1.0.zip' })
    await publishPython(w.root, other, { name: 'closed', file: 'closed-1.0.zip' })
    await publishPython(w.root, open, { name: 'open', file: 'open-1.0.zip' })
    for (const { namespaceId } of [other, open]) await w.member(namespaceId, job.developer, 30)
    const index = `/groups/${g.id}/-/packages/pypi/simple`
    const seen = async (client: Client) =>
      [...(await client.get(index)).text.matchAll(/simple\/([\w-]+)\//g)].map(([, name]) => name)
    expect(await seen(job.developer)).toEqual(['closed', 'open', 'own'])
    expect(await seen(job.client)).toEqual(['own'])
    const list = `/projects/${open.id}/job_token_scope/allowlist`
    expect((await w.root.post(list, { target_project_id: job.id })).status).toBe(201)
    expect(await seen(job.client)).toEqual(['open', 'own'])
    expect((await job.client.get(`/groups/${(await w.group()).id}/-/packages/pypi/simple`)).status).toBe(404)
  })
})

describe('who publishes and installs', () => {
  test('people, deploy tokens and jobs by Basic and by header', async () => {
    const p = await w.project()
    const { username, token } = await deployToken(p, 'project', 'write_package_registry')
    const clients = [
      basicClient('__token__', p.developer.token),
      basicClient(username, token),
      new Client(w.url, { 'deploy-token': token }),
    ]
    for (const client of clients) {
      const name = unique('by')
      expect((await publishPython(client, p, { name, file: `${name}-1.0.zip` })).status).toBe(201)
      expect((await client.get(`${pypi(p)}/simple/${name}`)).status).toBe(200)
    }
    const job = await runningJob()
    const byJob = basicClient('gitlab-ci-token', job.token)
    expect((await publishPython(byJob, job)).status).toBe(201)
    expect((await byJob.get(`${pypi(job)}/simple/my-tool`)).status).toBe(200)
    const reader = await deployToken(p, 'project', 'read_package_registry')
    const refused = await publishPython(basicClient(reader.username, reader.token), p)
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope'])
    expect((await p.anonymous.get(`${pypi(p)}/simple`)).status).toBe(401)
  })
})
