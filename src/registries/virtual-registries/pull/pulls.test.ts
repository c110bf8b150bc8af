import { describe, expect, test } from 'vitest'
import { digestOf, DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST } from '#test/fake-registry.ts'
import { own, withVirtualRegistries } from '../test-support.ts'
import { accepted, closingRegistries, virtual } from './test-support.ts'

withVirtualRegistries({ local: true })
closingRegistries()

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code

describe('a pull', () => {
  test('gets manifests by tag and digest, and blobs, each from the upstream once', async () => {
    const { source, pull, registry } = await virtual()
    const { manifest, layer } = source.image('team/app', 'v1')
    for (let time = 0; time < 2; time += 1) {
      const byTag = await pull('team/app/manifests/v1')
      expect([byTag.status, byTag.bytes]).toEqual([200, manifest.bytes])
      expect(Object.fromEntries(byTag.headers)).toMatchObject({
        'content-type': OCI_MANIFEST,
        'docker-content-digest': manifest.digest,
        etag: `"${manifest.digest}"`,
        'docker-distribution-api-version': 'registry/2.0',
        'x-virtual-registry-cache': time === 0 ? 'miss' : 'hit',
      })
      const byDigest = await pull(`team/app/manifests/${manifest.digest}`)
      expect([byDigest.status, byDigest.bytes]).toEqual([200, manifest.bytes])
      const blob = await pull(`team/app/blobs/${layer.digest}`)
      expect([blob.status, digestOf(blob.bytes)]).toEqual([200, layer.digest])
      expect(blob.headers.get('content-length')).toBe(String(layer.size))
      // What was read may be kept a moment later.
      if (time === 0)
        await expect
          .poll(async () =>
            (await pull(`team/app/blobs/${layer.digest}`)).headers.get('x-virtual-registry-cache'),
          )
          .toBe('hit')
    }
    expect(source.questions.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v2/team/app/manifests/v1',
      `GET /v2/team/app/blobs/${layer.digest}`,
    ])
    expect(registry.id).toEqual(expect.any(Number))
  })

  test.each([
    ['a Docker manifest', DOCKER_MANIFEST],
    ['a list of Docker', DOCKER_LIST],
    ['an OCI manifest', OCI_MANIFEST],
    ['an OCI index', OCI_INDEX],
  ])('gets %s with its media type, for HEAD without the body', async (_, type) => {
    const { source, pull, ask } = await virtual()
    const content = { schemaVersion: 2, mediaType: type, manifests: [] }
    const { bytes, digest } = source.manifest('a', 'latest', content, type)
    const head = await ask('a/manifests/latest', { method: 'HEAD', headers: { accept: type } })
    const got = await pull('a/manifests/latest', { accept: type })
    for (const { status, headers } of [head, got]) {
      expect([
        status,
        headers.get('content-type'),
        headers.get('content-length'),
        headers.get('docker-content-digest'),
      ]).toEqual([200, type, String(bytes.length), digest])
    }
    expect(got.bytes).toEqual(bytes)
  })

  test('keeps apart what clients accept', async () => {
    const { source, pull } = await virtual()
    const index = source.manifest('a', undefined, { schemaVersion: 2, manifests: [] }, OCI_INDEX)
    const single = source.manifest('a', undefined, { schemaVersion: 2, layers: [] }, OCI_MANIFEST)
    source.behave = (request, response) => {
      if (!request.url?.endsWith('/manifests/latest')) return false
      const chosen = request.headers.accept?.includes(OCI_INDEX) === true ? index : single
      response
        .writeHead(200, { 'content-type': chosen === index ? OCI_INDEX : OCI_MANIFEST })
        .end(chosen.bytes)
      return true
    }
    const get = async (accept: string) => digestOf((await pull('a/manifests/latest', { accept })).bytes)
    expect(await get(OCI_MANIFEST)).toBe(single.digest)
    expect(await get(`${OCI_MANIFEST}, ${OCI_INDEX}`)).toBe(index.digest)
    expect(await get(OCI_MANIFEST)).toBe(single.digest)
    expect(source.questions).toHaveLength(2)
    // An upstream that has an index sends it to whoever accepts one.
    expect(await get(`${OCI_INDEX}, ${OCI_MANIFEST}, ${DOCKER_MANIFEST}`)).toBe(index.digest)
    expect(await get('*/*')).toBe(index.digest)
    expect(source.questions).toHaveLength(2)
  })

  test('gets parts of blobs, and nothing where the client has it', async () => {
    const { source, pull, ask } = await virtual()
    const { layer, manifest } = source.image('a', 'v1', Buffer.from('0123456789'))
    const path = `a/blobs/${layer.digest}`
    const part = async (range: string, more: Record<string, string> = {}) => {
      const { status, headers, bytes } = await pull(path, { range, ...more })
      return [status, headers.get('content-range'), bytes.toString()]
    }
    expect(await part('bytes=2-5')).toEqual([206, 'bytes 2-5/10', '2345'])
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=8-99')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await part('lines=1-2')).toEqual([200, null, '0123456789'])
    expect(await part('bytes=0-1', { 'if-range': '"other"' })).toEqual([200, null, '0123456789'])
    const beyond = await pull(path, { range: 'bytes=10-' })
    expect([beyond.status, beyond.headers.get('content-range'), codeOf(beyond)]).toEqual([
      416,
      'bytes */10',
      'RANGE_INVALID',
    ])
    for (const [at, digest] of [
      [path, layer.digest],
      ['a/manifests/v1', manifest.digest],
    ] as const) {
      const known = await pull(at, { ...accepted, 'if-none-match': `"${digest}"` })
      expect([known.status, known.bytes.length]).toEqual([304, 0])
    }
    const head = await ask(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      '10',
      'bytes',
    ])
    expect(source.asked(/blobs/)).toBe(1)
  })

  test('asks for the size of a blob without getting it', async () => {
    const { source, ask } = await virtual()
    const { digest } = source.blob('a blob')
    const { status, headers } = await ask(`a/blobs/${digest}`, { method: 'HEAD' })
    expect([status, headers.get('content-length'), headers.get('docker-content-digest')]).toEqual([
      200,
      '6',
      digest,
    ])
    expect([source.asked(/blobs/), source.asked(/blobs/, 'HEAD')]).toEqual([0, 1])
    expect((await ask(`a/blobs/${digestOf('other')}`, { method: 'HEAD' })).status).toBe(404)
  })

  test('gets empty blobs, and blobs by SHA-512', async () => {
    const { source, pull } = await virtual()
    const empty = source.blob('')
    const got = await pull(`a/blobs/${empty.digest}`)
    expect([got.status, got.bytes.length]).toEqual([200, 0])
    const { createHash } = await import('node:crypto')
    const bytes = Buffer.from('some bytes')
    const digest = `sha512:${createHash('sha512').update(bytes).digest('hex')}`
    source.blobs.set(digest, bytes)
    expect((await pull(`a/blobs/${digest}`)).bytes).toEqual(bytes)
  })

  test('lists tags without a next page that it could not ask for, and refuses a page with too long a name', async () => {
    const { source, pull } = await virtual()
    let next = ''
    source.behave = (_, response) => {
      response.writeHead(200, { link: `</v2/a/tags/list?${next}>; rel="next"` }).end('{"tags":["v1"]}')
      return true
    }
    for (next of ['page=2', 'n=1&page=2', `n=1&last=${'x'.repeat(256)}`]) {
      const answer = await pull('a/tags/list')
      expect([answer.status, answer.headers.get('link')]).toEqual([200, null])
    }
    const asked = source.asked(/tags/)
    const refused = await pull(`a/tags/list?last=${'x'.repeat(256)}`)
    expect([refused.status, codeOf(refused), source.asked(/tags/)]).toEqual([400, 'UNSUPPORTED', asked])
  })

  test('lists tags page by page, and referrers, as far as the upstream does', async () => {
    const { source, pull, registry } = await virtual()
    const { digest } = source.manifest('a', 'v1', { schemaVersion: 2 })
    source.behave = ({ url = '' }, response) => {
      if (url === '/v2/a/tags/list?n=2')
        response
          .writeHead(200, {
            'content-type': 'application/json',
            link: '</v2/a/tags/list?n=2&last=v2>; rel="next"',
          })
          .end('{"name":"a","tags":["v1","v2"]}')
      else if (url.startsWith(`/v2/a/referrers/${digest}?artifactType=sbom`))
        response
          .writeHead(200, { 'content-type': OCI_INDEX, 'oci-filters-applied': 'artifactType' })
          .end('{"schemaVersion":2,"manifests":[]}')
      else return false
      return true
    }
    const tags = await pull('a/tags/list?n=2&other=1')
    const own = `virtual_registries/container/${registry.id}`
    expect([tags.status, JSON.parse(tags.bytes.toString()), tags.headers.get('link')]).toEqual([
      200,
      { name: `${own}/a`, tags: ['v1', 'v2'] },
      `</v2/${own}/a/tags/list?n=2&last=v2>; rel="next"`,
    ])
    const referrers = await pull(`a/referrers/${digest}?artifactType=sbom`)
    expect([
      referrers.status,
      referrers.headers.get('content-type'),
      referrers.headers.get('oci-filters-applied'),
    ]).toEqual([200, OCI_INDEX, 'artifactType'])
    const none = await pull('b/tags/list')
    expect([none.status, codeOf(none)]).toEqual([404, 'NAME_UNKNOWN'])
  })

  test.each([
    ['a/manifests/nothing', 404, 'MANIFEST_UNKNOWN'],
    [`a/manifests/${digestOf('nothing')}`, 404, 'MANIFEST_UNKNOWN'],
    [`a/blobs/${digestOf('nothing')}`, 404, 'BLOB_UNKNOWN'],
    ['a/blobs/sha256:123', 400, 'DIGEST_INVALID'],
    ['a/blobs/md5:d41d8cd98f00b204e9800998ecf8427e', 400, 'DIGEST_INVALID'],
    ['a/manifests/sha256:zz', 400, 'DIGEST_INVALID'],
    ['A/manifests/v1', 400, 'NAME_INVALID'],
    ['a/../b/blobs/x', 400, 'DIGEST_INVALID'],
    ['a..b/manifests/v1', 400, 'NAME_INVALID'],
    [`${'a'.repeat(256)}/manifests/v1`, 400, 'NAME_INVALID'],
    [`a/manifests/${'v'.repeat(129)}`, 404, 'MANIFEST_UNKNOWN'],
    ['a/manifests/-v', 404, 'MANIFEST_UNKNOWN'],
    ['a/tags/all', 404, 'UNSUPPORTED'],
    ['a', 404, 'UNSUPPORTED'],
  ])('of %s is %i %s', async (path, status, code) => {
    const { pull } = await virtual()
    const answer = await pull(path)
    // Node's fetch takes dots out of a path.
    if (path.includes('..') && answer.status === 400) return
    expect([answer.status, codeOf(answer), answer.headers.get('content-type')]).toEqual([
      status,
      code,
      'application/json',
    ])
  })

  test('is all that a virtual registry offers', async () => {
    const { ask, registry } = await virtual()
    for (const [method, path] of [
      ['POST', 'a/blobs/uploads/'],
      ['PUT', 'a/manifests/v1'],
      ['PATCH', 'a/blobs/uploads/1'],
      ['DELETE', 'a/manifests/v1'],
    ] as const) {
      const answer = await ask(path, { method })
      expect([answer.status, JSON.parse(await answer.text()).errors[0].code]).toEqual([405, 'UNSUPPORTED'])
    }
    expect(registry.id).toEqual(expect.any(Number))
  })

  test('counts what is served, in the list and in the metrics', async () => {
    const { source, pull, upstreams, by, group } = await virtual()
    const { manifest } = source.image('team/app', 'v1')
    for (let time = 0; time < 3; time += 1) await pull('team/app/manifests/v1')
    const list = `/virtual_registries/container/upstreams/${upstreams[0].id}/cache_entries`
    await expect
      .poll(async () => (await by.get(`${list}?search=manifests/v1`)).body[0].downloads_count)
      .toBe(3)
    const { body } = await by.get(`${list}?search=manifests/v1`)
    expect(body).toEqual([
      {
        id: expect.any(Number),
        group_id: group.id,
        upstream_id: upstreams[0].id,
        relative_path: 'team/app/manifests/v1',
        digest: manifest.digest,
        content_type: OCI_MANIFEST,
        size: manifest.size,
        upstream_etag: `"${manifest.digest}"`,
        upstream_checked_at: expect.stringMatching(/Z$/),
        downloads_count: 3,
        downloaded_at: expect.stringMatching(/Z$/),
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ])
    expect((await by.get(list)).headers.get('x-total')).toBe('2')
    const metrics = await (await fetch(`${own.url}/-/metrics`)).text()
    expect(metrics).toMatch(/forgelet_virtual_registry_requests_total\{kind="manifest",result="hit"\} [1-9]/)
    expect(metrics).toMatch(/forgelet_virtual_registry_cache\{unit="bytes"\} [1-9]/)
  })
})
