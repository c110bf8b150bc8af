import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { projectWith, withGit } from '#code/git-http/test-support.ts'
import { ask, basicOf, batch, download, lfsObject, put, upload } from './test-support.ts'

withGit()

describe('POST /:path.git/info/lfs/objects/batch', () => {
  test('says where to upload what the project does not have, and where to download what it has', async () => {
    const { developer, reporter, fullPath } = await w.project()
    const object = lfsObject(unique('content'))
    const { oid, size } = object
    const site = `${w.url}/${fullPath}.git`
    const Authorization = basicOf(developer.token)['authorization']
    const offered = await batch(fullPath, developer.token, 'upload', [object])
    expect(offered.headers.get('content-type')).toMatch(/^application\/vnd\.git-lfs\+json/)
    expect([offered.status, offered.body]).toEqual([
      200,
      {
        transfer: 'basic',
        hash_algo: 'sha256',
        objects: [
          {
            oid,
            size,
            authenticated: true,
            actions: {
              upload: { href: `${site}/gitlab-lfs/objects/${oid}/${size}`, header: { Authorization } },
              verify: { href: `${site}/info/lfs/objects/verify`, header: { Authorization } },
            },
          },
        ],
      },
    ])
    const missing = { code: 404, message: 'The object does not exist in this project.' }
    expect((await batch(fullPath, reporter.token, 'download', [object])).body.objects).toEqual([
      { oid, size: 0, error: missing },
    ])
    await upload(fullPath, developer.token, object)
    expect((await batch(fullPath, developer.token, 'upload', [object])).body.objects).toEqual([{ oid, size }])
    const found = (await batch(fullPath, reporter.token, 'download', [object])).body.objects[0]
    expect(found).toMatchObject({
      oid,
      size,
      actions: { download: { href: `${site}/gitlab-lfs/objects/${oid}` } },
    })
    const { href, header } = found.actions.download
    const answer = await fetch(href, { headers: header })
    expect(Buffer.from(await answer.arrayBuffer()).equals(object.bytes)).toBe(true)
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
  })

  test.each([
    ['no JSON', '{', 400],
    ['another operation', { operation: 'delete', objects: [] }, 422],
    ['no objects', { operation: 'download' }, 422],
    ['another name of an object', { operation: 'download', objects: [{ oid: 'abc', size: 1 }] }, 422],
    ['a negative size', { operation: 'upload', objects: [{ oid: '0'.repeat(64), size: -1 }] }, 422],
    ['another digest', { operation: 'download', hash_algo: 'sha1', objects: [] }, 422],
    ['another transfer adapter', { operation: 'download', transfers: ['tus'], objects: [] }, 422],
    [
      'more than 1,000 objects',
      {
        operation: 'download',
        objects: Array.from({ length: 1_001 }, () => ({ oid: '0'.repeat(64), size: 1 })),
      },
      422,
    ],
  ])('refuses %s', async (_, body, status) => {
    const { developer, fullPath } = await w.project()
    const answer = await ask(fullPath, '/objects/batch', developer.token, body)
    expect([answer.status, typeof answer.body.message]).toEqual([status, 'string'])
  })

  test('refuses a body of more than 512 KiB', async () => {
    const { developer, fullPath } = await w.project()
    const { status } = await ask(fullPath, '/objects/batch', developer.token, `"${'x'.repeat(600_000)}"`)
    expect(status).toBe(413)
  })

  test('asks strangers for credentials, and tells guests nothing of private code', async () => {
    const { guest, reporter, fullPath } = await w.project({ visibility: 'private' })
    const object = lfsObject('x')
    const asked = await batch(fullPath, undefined, 'download', [object])
    expect([asked.status, asked.headers.get('lfs-authenticate')]).toEqual([
      401,
      'Basic realm="Forgelet", charset="UTF-8"',
    ])
    expect((await batch(fullPath, guest.token, 'download', [object])).status).toBe(403)
    expect((await batch(fullPath, reporter.token, 'upload', [object])).status).toBe(403)
    expect((await batch('no/such', reporter.token, 'download', [object])).status).toBe(404)
  })

  test('lets strangers download from public projects, and upload nowhere', async () => {
    const { developer, fullPath } = await w.project({ visibility: 'public' })
    const object = lfsObject(unique('public'))
    await upload(fullPath, developer.token, object)
    const { body } = await batch(fullPath, undefined, 'download', [object])
    expect(body.objects[0].actions.download.header).toBeUndefined()
    expect(await (await fetch(body.objects[0].actions.download.href)).text()).toBe(object.bytes.toString())
    expect((await batch(fullPath, undefined, 'upload', [object])).status).toBe(401)
    expect((await put(fullPath, undefined, object, object.bytes)).status).toBe(401)
  })
})

describe('PUT /:path.git/gitlab-lfs/objects/:oid/:size', () => {
  test('refuses other bytes than announced, and keeps none of them', async () => {
    const { developer, fullPath } = await w.project()
    const object = lfsObject(unique('right'))
    const wrong = Buffer.from(object.bytes.toString().toUpperCase())
    expect(await put(fullPath, developer.token, object, wrong)).toEqual({
      status: 422,
      message: 'The bytes that came do not have the announced digest.',
    })
    expect(
      await put(fullPath, developer.token, { ...object, size: object.size - 1 }, object.bytes),
    ).toMatchObject({
      status: 413,
    })
    expect(await put(fullPath, developer.token, { ...object, size: object.size + 1 }, object.bytes)).toEqual({
      status: 422,
      message: 'The object does not have the announced size.',
    })
    expect((await download(fullPath, developer.token, object.oid)).status).toBe(404)
  })

  test('gives nobody the bytes of others: whoever knows a digest must have the bytes', async () => {
    const one = await w.project({ visibility: 'private' })
    const other = await w.project({ visibility: 'private' })
    const object = lfsObject(unique('secret'))
    await upload(one.fullPath, one.developer.token, object)
    expect(
      (await batch(other.fullPath, other.developer.token, 'download', [object])).body.objects[0].error.code,
    ).toBe(404)
    expect((await download(other.fullPath, other.developer.token, object.oid)).status).toBe(404)
    const offered = await batch(other.fullPath, other.developer.token, 'upload', [object])
    expect(offered.body.objects[0].actions.upload).toBeDefined()
    const guess = await put(other.fullPath, other.developer.token, object, Buffer.alloc(object.size))
    expect(guess.status).toBe(422)
    const verified = await ask(other.fullPath, '/objects/verify', other.developer.token, {
      oid: object.oid,
      size: object.size,
    })
    expect(verified.status).toBe(404)
  })

  test('stores equal bytes once, also of two uploads at once', async () => {
    const places = await Promise.all([w.project(), w.project()])
    const object = lfsObject(unique('shared'))
    await Promise.all(
      [...places, ...places].map(({ fullPath, developer }) => upload(fullPath, developer.token, object)),
    )
    const rows = await w.db
      .selectFrom('lfs_objects as o')
      .innerJoin('files as f', 'f.id', 'o.file_id')
      .select(['o.project_id', 'f.id'])
      .where('f.sha256', '=', Buffer.from(object.oid, 'hex'))
      .execute()
    expect(rows.map(({ project_id }) => project_id).toSorted((a, b) => a - b)).toEqual(
      places.map(({ id }) => id).toSorted((a, b) => a - b),
    )
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1)
  })

  test('takes an object of no bytes', async () => {
    const { developer, fullPath } = await w.project()
    const object = lfsObject('')
    await upload(fullPath, developer.token, object)
    expect(await (await download(fullPath, developer.token, object.oid)).text()).toBe('')
  })
})

test('GET /:path.git/gitlab-lfs/objects/:oid sends a part of an object', async () => {
  const { developer, reporter, fullPath } = await w.project()
  const object = lfsObject('0123456789')
  await upload(fullPath, developer.token, object)
  const part = await download(fullPath, reporter.token, object.oid, { range: 'bytes=4-6' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 4-6/10',
    '456',
  ])
  const after = await download(fullPath, reporter.token, object.oid, { range: 'bytes=10-' })
  expect(after.status).toBe(416)
})

test('POST /:path.git/info/lfs/objects/verify says whether the project has an object of that size', async () => {
  const { developer, fullPath } = await w.project()
  const object = lfsObject(unique('verified'))
  const verify = async (size: number) =>
    (await ask(fullPath, '/objects/verify', developer.token, { oid: object.oid, size })).status
  expect(await verify(object.size)).toBe(404)
  await upload(fullPath, developer.token, object)
  expect(await verify(object.size)).toBe(200)
  expect(await verify(object.size + 1)).toBe(422)
  expect((await ask(fullPath, '/objects/verify', developer.token, {})).status).toBe(422)
})

describe('limits', () => {
  const settings = (values: object) => w.root.put('/application/settings', values)

  test('of one object and of a project are told in the batch, and hold for the upload', async () => {
    const { developer, fullPath } = await w.project()
    const megabyte = lfsObject(Buffer.alloc(1024 * 1024, unique('a')))
    const more = lfsObject(Buffer.alloc(1024 * 1024 + 1, unique('b')))
    try {
      await settings({ max_lfs_object_size: 1 })
      const offered = await batch(fullPath, developer.token, 'upload', [megabyte, more])
      expect(offered.body.objects.map((one: { error?: object }) => one.error)).toEqual([
        undefined,
        { code: 422, message: 'The object is larger than 1 MB, the maximum on this server.' },
      ])
      expect((await put(fullPath, developer.token, more, more.bytes)).status).toBe(413)
      await settings({ max_lfs_project_size: 1 })
      const twice = await batch(fullPath, developer.token, 'upload', [megabyte, megabyte])
      expect([twice.status, twice.body.objects.length]).toEqual([200, 2])
      await upload(fullPath, developer.token, megabyte)
      const small = lfsObject(unique('c'))
      const full = await batch(fullPath, developer.token, 'upload', [small])
      const message = expect.stringContaining(
        'The LFS objects of this project would take more than 1 MB, the maximum on this server.',
      )
      expect([full.status, full.body.message]).toEqual([507, message])
      expect(await put(fullPath, developer.token, small, small.bytes)).toEqual({ status: 507, message })
      expect((await batch(fullPath, developer.token, 'upload', [megabyte])).status).toBe(200)
    } finally {
      await settings({ max_lfs_object_size: 5_120, max_lfs_project_size: 0 })
    }
  })
})

describe('lfs_enabled', () => {
  test('false refuses LFS, and says so', async () => {
    const { owner, developer, fullPath, id } = await w.project()
    const object = lfsObject(unique('off'))
    expect((await owner.get(`/projects/${id}`)).body.lfs_enabled).toBe(true)
    expect((await owner.put(`/projects/${id}`, { lfs_enabled: false })).body.lfs_enabled).toBe(false)
    const refused = await batch(fullPath, developer.token, 'upload', [object])
    expect([refused.status, refused.body.message]).toEqual([403, 'Git LFS is switched off in this project.'])
    expect((await put(fullPath, developer.token, object, object.bytes)).status).toBe(403)
    await owner.put(`/projects/${id}`, { lfs_enabled: true })
    await upload(fullPath, developer.token, object)
  })

  test('an archived project takes no uploads', async () => {
    const { owner, developer, fullPath, id } = await w.project()
    const object = lfsObject(unique('archived'))
    await upload(fullPath, developer.token, object)
    await owner.post(`/projects/${id}/archive`)
    expect((await batch(fullPath, developer.token, 'upload', [object])).status).toBe(403)
    expect((await batch(fullPath, developer.token, 'download', [object])).status).toBe(200)
  })
})

test('GET /projects/:id/repository/files/:path/raw?lfs=true sends the object behind a pointer', async () => {
  const { project, work } = await projectWith({ a: 'a' })
  const [object, missing] = [lfsObject(unique('raw')), lfsObject(unique('nobody has it'))]
  await upload(project.fullPath, project.developer.token, object)
  await upload(project.fullPath, project.developer.token, missing)
  await work.commit({ 'large.bin': object.pointer, 'missing.bin': missing.pointer })
  await work.run('push', '--quiet', 'origin', 'main')
  await w.db
    .deleteFrom('lfs_objects')
    .where('size', '=', missing.size)
    .where('project_id', '=', project.id)
    .execute()
  const read = async (name: string, query: string) =>
    project.reporter.get(`/projects/${project.id}/repository/files/${name}/raw?${query}`)
  expect((await read('large.bin', 'lfs=true')).text).toBe(object.bytes.toString())
  expect((await read('large.bin', 'lfs=false')).text).toBe(object.pointer)
  expect((await read('missing.bin', 'lfs=true')).text).toBe(missing.pointer)
  expect((await read('a', 'lfs=true')).text).toBe('a')
})

test.each(['tar', 'tar.gz', 'tar.bz2', 'zip'])(
  'GET /projects/:id/repository/archive.%s has the objects, or pointers if asked',
  async (format) => {
    const { project, work, head } = await projectWith({ a: 'a' })
    const large = lfsObject(Buffer.alloc(1024 * 1024 + 3, unique('x')))
    await upload(project.fullPath, project.developer.token, large)
    const long = `${'folder/'.repeat(30)}large.bin`
    await work.commit({ 'large.bin': large.pointer, [long]: large.pointer, z: 'z'.repeat(200) })
    await work.run('push', '--quiet', 'origin', 'main')
    const unpacked = async (query: string) => {
      const url = `${w.url}/api/v4/projects/${project.id}/repository/archive.${format}?${query}`
      const answer = await fetch(url, { headers: { 'private-token': project.reporter.token } })
      const folder = await mkdtemp(join(tmpdir(), 'forgelet-archive-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      await writeFile(join(folder, 'it'), Buffer.from(await answer.arrayBuffer()))
      if (format === 'zip') execFileSync('unzip', ['-q', 'it'], { cwd: folder })
      else execFileSync('tar', ['-xf', 'it'], { cwd: folder })
      const [top = ''] = (await readdir(folder)).filter((name) => name !== 'it')
      return (name: string) => readFile(join(folder, top, name))
    }
    const whole = await unpacked('')
    for (const name of ['large.bin', long]) expect((await whole(name)).equals(large.bytes)).toBe(true)
    expect([String(await whole('a')), String(await whole('z'))]).toEqual(['a', 'z'.repeat(200)])
    const pointers = await unpacked('include_lfs_blobs=false')
    expect(String(await pointers(long))).toBe(large.pointer)
    const before = await unpacked(`sha=${head}`)
    expect(String(await before('a'))).toBe('a')
  },
)

describe('a push with pointers', () => {
  test('is refused while their objects are missing', async () => {
    const { project, work } = await projectWith({ a: 'a' })
    const object = lfsObject(unique('pushed'))
    await work.commit({ 'large.bin': object.pointer })
    const refused = await work.try('push', 'origin', 'main')
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining(`remote: Forgelet: LFS objects are missing, such as ${object.oid}.`),
    })
    await upload(project.fullPath, project.developer.token, object)
    expect(await work.try('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })

  test('is taken where LFS is off, or the setting says so', async () => {
    const { project, work } = await projectWith({ a: 'a' })
    await work.commit({ 'large.bin': lfsObject(unique('missing')).pointer })
    try {
      await w.root.put('/application/settings', { lfs_pushes_need_objects: false })
      expect(await work.try('push', 'origin', 'main')).toMatchObject({ code: 0 })
    } finally {
      await w.root.put('/application/settings', { lfs_pushes_need_objects: true })
    }
    await project.owner.put(`/projects/${project.id}`, { lfs_enabled: false })
    await work.commit({ 'large.bin': lfsObject(unique('missing')).pointer })
    expect(await work.try('push', 'origin', 'main')).toMatchObject({ code: 0 })
  })
})

test('storage sizes count the objects of a project, and equal ones once', async () => {
  const { owner, developer, fullPath, id } = await w.project()
  const object = lfsObject(unique('counted'))
  await upload(fullPath, developer.token, object)
  await upload(fullPath, developer.token, object)
  const project = await owner.get(`/projects/${id}?statistics=true`)
  expect(project.body.statistics).toMatchObject({ lfs_objects_size: object.size, storage_size: object.size })
  const group = fullPath.slice(0, fullPath.lastIndexOf('/'))
  const groups = await w.root.get(`/groups?statistics=true&per_page=100&search=${group}`)
  const found = groups.body.find((one: { full_path: string }) => one.full_path === group)
  expect(found.statistics.lfs_objects_size).toBe(object.size)
})
