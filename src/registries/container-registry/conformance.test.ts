import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { digestOf, OCI_INDEX, OCI_MANIFEST } from '#test/fake-registry.ts'
import { imageOf, indexOf, withImages } from './test-support.ts'

// The workflows of the distribution specification 1.1, in the order of its conformance suite.

const absent = digestOf('nobody has pushed this')

describe('pull', () => {
  test('of manifests by tag and digest, and of blobs, whole and in part', async () => {
    const { name, developer, reporter } = await withImages()
    const { manifest, digest, layer, size } = await developer.image(name, 'v1')
    for (const reference of ['v1', digest]) {
      const got = await reporter.ask(`${name}/manifests/${reference}`, { headers: { accept: OCI_MANIFEST } })
      expect([got.status, got.bytes.toString(), got.headers.get('content-type')]).toEqual([
        200,
        manifest,
        OCI_MANIFEST,
      ])
      expect(got.headers.get('docker-content-digest')).toBe(digest)
      const head = await reporter.ask(`${name}/manifests/${reference}`, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)])
    }
    const blob = `${name}/blobs/${layer.digest}`
    expect((await reporter.ask(blob)).bytes).toEqual(layer.bytes)
    const head = await reporter.ask(blob, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '1000'])
    const part = await reporter.ask(blob, { headers: { range: 'bytes=10-19' } })
    expect([part.status, part.headers.get('content-range'), part.bytes]).toEqual([
      206,
      'bytes 10-19/1000',
      layer.bytes.subarray(10, 20),
    ])
    expect((await reporter.ask(blob, { headers: { range: 'bytes=1000-' } })).status).toBe(416)
    expect((await reporter.ask(blob, { headers: { 'if-none-match': `"${layer.digest}"` } })).status).toBe(304)
  })

  test('of what is not there is answered with 404 and a code', async () => {
    const { name, developer } = await withImages()
    const codeOf = async (path: string) => {
      const { status, code } = await developer.ask(path)
      return [status, code]
    }
    expect(await codeOf(`${name}/manifests/v1`)).toEqual([404, 'NAME_UNKNOWN'])
    await developer.image(name, 'v1')
    expect(await codeOf(`${name}/manifests/v2`)).toEqual([404, 'MANIFEST_UNKNOWN'])
    expect(await codeOf(`${name}/manifests/${absent}`)).toEqual([404, 'MANIFEST_UNKNOWN'])
    expect(await codeOf(`${name}/blobs/${absent}`)).toEqual([404, 'BLOB_UNKNOWN'])
    expect(await codeOf(`${name}/blobs/sha256:12`)).toEqual([400, 'DIGEST_INVALID'])
    expect(await codeOf('nobody/has-this/manifests/v1')).toEqual([404, 'NAME_UNKNOWN'])
    expect(await codeOf('one/manifests/v1')).toEqual([404, 'NAME_UNKNOWN'])
    expect(await codeOf(`${name}/.x/manifests/v1`)).toEqual([400, 'NAME_INVALID'])
  })
})

describe('push of a blob', () => {
  const bytes = randomBytes(3_000)
  const digest = digestOf(bytes)

  test('at once: by POST alone, and by POST and PUT', async () => {
    const { name, developer } = await withImages()
    const post = await developer.ask(`${name}/blobs/uploads/?digest=${digest}`, {
      method: 'POST',
      body: bytes,
    })
    expect([post.status, post.headers.get('location')]).toEqual([201, `/v2/${name}/blobs/${digest}`])
    const other = randomBytes(100)
    const begun = await developer.ask(`${name}/blobs/uploads/`, { method: 'POST' })
    const location = begun.headers.get('location') ?? ''
    const put = await developer.ask(`${location}?digest=${digestOf(other)}`, { method: 'PUT', body: other })
    expect([put.status, put.headers.get('docker-content-digest')]).toEqual([201, digestOf(other)])
    expect((await developer.ask(`${name}/blobs/${digestOf(other)}`)).bytes).toEqual(other)
    // Nothing but the blob is left.
    expect((await developer.ask(location)).code).toBe('BLOB_UPLOAD_UNKNOWN')
  })

  test('in pieces: each begins where the one before it has ended', async () => {
    const { name, developer } = await withImages()
    const begun = await developer.ask(`${name}/blobs/uploads/`, { method: 'POST' })
    expect([begun.status, begun.headers.get('range')]).toEqual([202, '0-0'])
    const location = begun.headers.get('location') ?? ''
    const send = (from: number, to: number) =>
      developer.ask(location, {
        method: 'PATCH',
        body: bytes.subarray(from, to),
        headers: { 'content-range': `${from}-${to - 1}`, 'content-type': 'application/octet-stream' },
      })
    const early = await send(1_000, 2_000)
    expect([early.status, early.code, early.headers.get('range')]).toEqual([416, 'RANGE_INVALID', '0-0'])
    expect([(await send(0, 1_000)).status, (await send(0, 1_000)).status]).toEqual([202, 416])
    const second = await send(1_000, 2_000)
    expect([second.status, second.headers.get('range')]).toEqual([202, '0-1999'])
    const state = await developer.ask(location)
    expect([state.status, state.headers.get('range'), state.headers.get('location')]).toEqual([
      204,
      '0-1999',
      location,
    ])
    const last = { body: bytes.subarray(2_000), headers: { 'content-range': '2000-2999' } }
    const put = await developer.ask(`${location}?digest=${digest}`, { method: 'PUT', ...last })
    expect(put.status).toBe(201)
    expect((await developer.ask(`${name}/blobs/${digest}`)).bytes).toEqual(bytes)
  })

  test('is refused when the bytes are others, and can be given up', async () => {
    const { name, developer } = await withImages()
    const begin = async () =>
      (await developer.ask(`${name}/blobs/uploads/`, { method: 'POST' })).headers.get('location') ?? ''
    const location = await begin()
    const put = await developer.ask(`${location}?digest=${absent}`, { method: 'PUT', body: bytes })
    expect([put.status, put.code]).toEqual([400, 'DIGEST_INVALID'])
    expect((await developer.ask(location, { method: 'PATCH', body: bytes })).status).toBe(202)
    expect((await developer.ask(`${location}?digest=x`, { method: 'PUT' })).code).toBe('DIGEST_INVALID')
    // What came would be copied again for each further try.
    const wrong = await developer.ask(`${location}?digest=${absent}`, { method: 'PUT' })
    expect([wrong.status, wrong.code]).toEqual([400, 'DIGEST_INVALID'])
    expect((await developer.ask(location)).code).toBe('BLOB_UPLOAD_UNKNOWN')
    const other = await begin()
    expect((await developer.ask(other, { method: 'DELETE' })).status).toBe(204)
    expect((await developer.ask(other, { method: 'DELETE' })).code).toBe('BLOB_UPLOAD_UNKNOWN')
    expect((await developer.ask(`${name}/blobs/${digest}`)).status).toBe(404)
  })

  test('that another repository has takes no bytes, if the caller may pull from that', async () => {
    const { name, developer, of, project } = await withImages()
    const { digest: there } = await developer.blob(name)
    const other = await withImages()
    const mount = async (by: typeof developer, from: string) => {
      const scopes = [`repository:${other.name}:pull,push`, `repository:${from}:pull`]
      const token = await by.token(...scopes)
      const answer = await by.ask(`${other.name}/blobs/uploads/?mount=${there}&from=${from}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
      return [answer.status, answer.headers.get('location')?.replace(/uploads\/.*/, 'uploads')]
    }
    expect(await mount(other.developer, name)).toEqual([202, `/v2/${other.name}/blobs/uploads`])
    expect((await other.developer.ask(`${other.name}/blobs/${there}`)).status).toBe(404)
    const both = of(other.project.developer)
    await project.owner.post(`/projects/${project.id}/members`, {
      user_id: other.project.developer.id,
      access_level: 20,
    })
    expect(await mount(both, name)).toEqual([201, `/v2/${other.name}/blobs/${there}`])
    expect((await both.ask(`${other.name}/blobs/${there}`)).status).toBe(200)
  })
})

describe('push of a manifest', () => {
  test('needs all that it names', async () => {
    const { name, developer } = await withImages()
    const config = await developer.blob(name)
    const missing = { mediaType: 'application/octet-stream', digest: absent, size: 3 }
    const image = imageOf(config, [missing])
    const refused = await developer.manifest(name, 'v1', image)
    expect([refused.status, refused.code]).toEqual([400, 'MANIFEST_BLOB_UNKNOWN'])
    const elsewhere = imageOf(config, [])
    const foreign = { ...elsewhere, layers: [{ ...missing, urls: ['https://elsewhere.example/layer'] }] }
    expect((await developer.manifest(name, 'v1', foreign)).status).toBe(201)
    const index = await developer.manifest(name, 'all', indexOf([{ digest: absent, size: 3 }]), OCI_INDEX)
    expect([index.status, index.code]).toEqual([400, 'MANIFEST_UNKNOWN'])
    const one = await developer.image(name, 'one')
    expect((await developer.manifest(name, 'all', indexOf([one]), OCI_INDEX)).status).toBe(201)
  })

  test.each<[why: string, manifest: string, type: string | undefined, code: string]>([
    ['is no JSON', '{', OCI_MANIFEST, 'MANIFEST_INVALID'],
    ['names nothing', '{"schemaVersion":2}', OCI_MANIFEST, 'MANIFEST_INVALID'],
    ['is of another kind', '{"schemaVersion":2}', 'application/json', 'MANIFEST_INVALID'],
    [
      'contradicts itself',
      `{"schemaVersion":2,"mediaType":"${OCI_INDEX}","manifests":[]}`,
      OCI_MANIFEST,
      'MANIFEST_INVALID',
    ],
    [
      'has a digest that is none',
      `{"schemaVersion":2,"manifests":[{"digest":"sha256:1","size":1}]}`,
      OCI_INDEX,
      'DIGEST_INVALID',
    ],
    [
      'has ten thousand layers',
      JSON.stringify({
        schemaVersion: 2,
        config: { digest: absent, size: 1 },
        layers: Array.from({ length: 10_000 }, () => ({ digest: absent, size: 1 })),
      }),
      OCI_MANIFEST,
      'MANIFEST_INVALID',
    ],
    [
      'has ten thousand annotations',
      JSON.stringify({
        schemaVersion: 2,
        manifests: [],
        annotations: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, ''])),
      }),
      OCI_INDEX,
      'MANIFEST_INVALID',
    ],
  ])('that %s is refused', async (_, manifest, type, code) => {
    const { name, developer } = await withImages()
    const answer = await developer.manifest(name, 'v1', manifest, type)
    expect([answer.status, answer.code]).toEqual([400, code])
  })

  test('of 100 MB is refused, whether or not its size was announced', async () => {
    const { name, developer } = await withImages()
    const huge = Buffer.alloc(100_000_000, ' ')
    await developer.blob(name)
    const sent = await developer.manifest(name, 'v1', huge).catch((error: Error) => error)
    if (!(sent instanceof Error)) expect([sent.status, sent.code]).toEqual([413, 'MANIFEST_INVALID'])
    const pieces = function* () {
      for (let at = 0; at < 100; at += 1) yield huge.subarray(0, 1_000_000)
    }
    const stream = ReadableStream.from(pieces())
    const streamed = await developer
      .ask(`${name}/manifests/v1`, { method: 'PUT', body: stream, headers: { 'content-type': OCI_MANIFEST } })
      .catch((error: Error) => error)
    if (!(streamed instanceof Error)) expect(streamed.status).toBe(413)
    expect((await developer.ask(`${name}/manifests/v1`)).status).toBe(404)
  })

  test('by its digest has no tag, and must have that digest', async () => {
    const { name, developer } = await withImages()
    const config = await developer.blob(name)
    const manifest = JSON.stringify(imageOf(config, []))
    const put = await developer.manifest(name, digestOf(manifest), manifest)
    expect([put.status, put.headers.get('location')]).toEqual([
      201,
      `/v2/${name}/manifests/${digestOf(manifest)}`,
    ])
    expect((await developer.manifest(name, absent, manifest)).code).toBe('DIGEST_INVALID')
    expect(JSON.parse((await developer.ask(`${name}/tags/list`)).bytes.toString()).tags).toEqual([])
  })
})

describe('content discovery', () => {
  test('lists tags by their bytes, in pages', async () => {
    const { name, developer, reporter } = await withImages()
    const { manifest } = await developer.image(name, 'b')
    for (const tag of ['a', 'C', 'c-1', 'B2']) await developer.manifest(name, tag, manifest)
    const list = async (query: string) => {
      const { bytes, headers } = await reporter.ask(`${name}/tags/list${query}`)
      return [JSON.parse(bytes.toString()), headers.get('link')]
    }
    expect(await list('')).toEqual([{ name, tags: ['B2', 'C', 'a', 'b', 'c-1'] }, null])
    expect(await list('?n=2')).toEqual([
      { name, tags: ['B2', 'C'] },
      `</v2/${name}/tags/list?last=C&n=2>; rel="next"`,
    ])
    expect(await list('?n=2&last=b')).toEqual([{ name, tags: ['c-1'] }, null])
    expect(await list('?n=0')).toEqual([{ name, tags: [] }, null])
    expect((await reporter.ask(`${name}/tags/list?n=x`)).code).toBe('PAGINATION_NUMBER_INVALID')
  })

  test('lists what refers to a manifest, by its type, before and after that is there', async () => {
    const { name, developer, reporter } = await withImages()
    const config = await developer.blob(name)
    const subject = JSON.stringify(imageOf(config, []))
    const about = { mediaType: OCI_MANIFEST, digest: digestOf(subject), size: subject.length }
    const list = async (query = '') => {
      const { status, bytes, headers } = await reporter.ask(`${name}/referrers/${about.digest}${query}`)
      return { status, body: JSON.parse(bytes.toString()), headers }
    }
    expect((await list()).body).toEqual({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: [] })
    const refer = (artifactType: string | undefined, annotations: object) =>
      developer.manifest(
        name,
        digestOf(JSON.stringify(of(artifactType, annotations))),
        of(artifactType, annotations),
      )
    const of = (artifactType: string | undefined, annotations: object) =>
      imageOf(config, [], { ...(artifactType && { artifactType }), subject: about, annotations })
    const put = await refer('application/sbom', { a: 'b' })
    expect([put.status, put.headers.get('oci-subject')]).toEqual([201, about.digest])
    await refer(undefined, { c: 'd' })
    await developer.manifest(name, 'subject', subject)
    const all = await list()
    expect([all.status, all.headers.get('content-type')]).toEqual([200, OCI_INDEX])
    expect(all.body.manifests).toMatchObject([
      { mediaType: OCI_MANIFEST, artifactType: 'application/sbom', annotations: { a: 'b' } },
      { artifactType: 'application/vnd.oci.image.config.v1+json', annotations: { c: 'd' } },
    ])
    const some = await list('?artifactType=application/sbom')
    expect([some.body.manifests.length, some.headers.get('oci-filters-applied')]).toEqual([1, 'artifactType'])
  })

  test('lists the repositories that somebody may pull from', async () => {
    const { name, developer, of, project } = await withImages()
    await developer.image(`${name}/a/b`, 'v1')
    await developer.image(name, 'v1')
    // Other tests have public images. These come first behind what is a little shorter.
    const last = name.slice(0, -1)
    const list = async (by: typeof developer, n: number) => {
      const token = await by.token('registry:catalog:*')
      const { bytes, headers } = await by.ask(`_catalog?n=${n}&last=${encodeURIComponent(last)}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const { repositories }: { repositories: string[] } = JSON.parse(bytes.toString())
      return { repositories, link: headers.get('link') }
    }
    expect((await list(developer, 2)).repositories).toEqual([name, `${name}/a/b`])
    expect(await list(developer, 1)).toEqual({
      repositories: [name],
      link: `</v2/_catalog?last=${encodeURIComponent(name)}&n=1>; rel="next"`,
    })
    const seen = (await list(of(project.guest), 2)).repositories
    expect(seen.filter((one) => one.startsWith(name))).toEqual([])
  })
})

describe('content management', () => {
  test('deletes tags, manifests with their tags, and blobs that nothing names', async () => {
    const { name, developer, reporter } = await withImages()
    const { digest, layer, config } = await developer.image(name, 'v1')
    const { manifest } = await developer.image(name, 'v2')
    await developer.manifest(name, 'v3', manifest)
    const remove = async (path: string, by = developer) => {
      const { status, code } = await by.ask(`${name}/${path}`, { method: 'DELETE' })
      return code === undefined ? status : [status, code]
    }
    expect(await remove('manifests/v1', reporter)).toEqual([403, 'DENIED'])
    expect(await remove('manifests/v1')).toBe(202)
    expect(await remove('manifests/v1')).toEqual([404, 'MANIFEST_UNKNOWN'])
    expect((await developer.ask(`${name}/manifests/${digest}`)).status).toBe(200)
    expect(await remove(`blobs/${layer.digest}`)).toEqual([405, 'UNSUPPORTED'])
    expect(await remove(`manifests/${digest}`)).toBe(202)
    expect(await remove(`blobs/${layer.digest}`)).toBe(202)
    expect(await remove(`blobs/${config.digest}`)).toBe(202)
    expect(await remove(`blobs/${config.digest}`)).toEqual([404, 'BLOB_UNKNOWN'])
    expect(await remove(`manifests/${digestOf(manifest)}`)).toBe(202)
    expect(JSON.parse((await developer.ask(`${name}/tags/list`)).bytes.toString()).tags).toEqual([])
  })

  test('keeps the manifests that an index names', async () => {
    const { name, developer } = await withImages()
    const one = await developer.image(name, 'one')
    const index = indexOf([one])
    await developer.manifest(name, 'all', index, OCI_INDEX)
    const remove = (reference: string) =>
      developer.ask(`${name}/manifests/${reference}`, { method: 'DELETE' })
    const refused = await remove(one.digest)
    expect([refused.status, refused.code]).toEqual([409, 'MANIFEST_REFERENCED'])
    expect((await remove(digestOf(JSON.stringify(index)))).status).toBe(202)
    expect((await remove(one.digest)).status).toBe(202)
  })
})

test.each([
  ['PATCH', 'manifests/v1', 'GET, HEAD, PUT, DELETE'],
  ['PUT', `blobs/${absent}`, 'GET, HEAD, DELETE'],
  ['POST', 'tags/list', 'GET, HEAD'],
  ['DELETE', `referrers/${absent}`, 'GET, HEAD'],
  ['DELETE', 'blobs/uploads/', 'POST'],
])('%s %s is refused with what the path takes', async (method, path, allow) => {
  const { name, developer } = await withImages()
  const { status, code, headers } = await developer.ask(`${name}/${path}`, { method })
  expect([status, code, headers.get('allow')]).toEqual([405, 'UNSUPPORTED', allow])
})
