import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { always, digestOf, OCI_MANIFEST } from '#test/fake-registry.ts'
import { upstreamPath, withVirtualRegistries } from '../test-support.ts'
import { accepted, age, closingRegistries, virtual } from './test-support.ts'

// What an upstream is asked, and by which method: the fewest requests that count, and none that it refuses decides.

withVirtualRegistries({ local: true })
closingRegistries()

async function isKept(pull: Awaited<ReturnType<typeof virtual>>['pull'], path: string) {
  await expect.poll(async () => (await pull(path)).headers.get('x-virtual-registry-cache')).toBe('hit')
}

describe.each([405, 403, 404, 400, 501])('an upstream that answers HEAD with %i', (status) => {
  test('has the blobs that it sends: one whose bytes are kept, and one that is asked for', async () => {
    const [one, other] = [await virtual(), await virtual()]
    const { digest, size } = one.source.blob(randomBytes(3_000))
    other.source.blobs.set(digest, one.source.blobs.get(digest) ?? Buffer.alloc(0))
    await isKept(one.pull, `a/blobs/${digest}`)
    other.source.refusesHead = status
    const head = await other.ask(`a/blobs/${digest}`, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)])
    const got = await other.pull(`a/blobs/${digest}`)
    expect([got.status, digestOf(got.bytes)]).toEqual([200, digest])
    const none = await other.pull(`a/blobs/${digestOf(randomBytes(3))}`)
    expect(none.status).toBe(404)
  })

  test('is asked by GET whether a tag is still the same, before it is forgotten', async () => {
    const { source, pull, upstreams } = await virtual()
    source.image('a', 'v1')
    await pull('a/manifests/v1')
    source.refusesHead = status
    await age(upstreams)
    expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('revalidated')
    const { manifest } = source.image('a', 'v1')
    await age(upstreams)
    expect((await pull('a/manifests/v1')).bytes).toEqual(manifest.bytes)
  })
})

test.each([405, 501])(
  'the test of a connection asks by GET where HEAD is answered with %i',
  async (status) => {
    const { source, by, upstreams } = await virtual()
    source.refusesHead = status
    expect((await by.post(`${upstreamPath(upstreams[0])}/test`)).body).toEqual({ success: true })
  },
)

describe('a tag that is old', () => {
  test('is checked by HEAD alone, also at an upstream that knows no conditions', async () => {
    const { source, pull, upstreams } = await virtual(1, { cache_validity_hours: 0 })
    const { manifest } = source.image('a', 'v1')
    source.behave = (request, response) =>
      always(
        200,
        { 'content-type': OCI_MANIFEST, 'docker-content-digest': manifest.digest },
        request.method === 'HEAD' ? '' : manifest.bytes,
      )(request, response)
    for (let time = 0; time < 3; time += 1) expect((await pull('a/manifests/v1')).status).toBe(200)
    expect([source.asked(/manifests/), source.asked(/manifests/, 'HEAD')]).toEqual([1, 2])
    expect(upstreams).toHaveLength(1)
  })

  test('is got again where HEAD does not tell the digest', async () => {
    const { source, pull } = await virtual(1, { cache_validity_hours: 0 })
    const { manifest } = source.image('a', 'v1')
    source.behave = (request, response) =>
      always(
        200,
        { 'content-type': OCI_MANIFEST },
        request.method === 'HEAD' ? '' : manifest.bytes,
      )(request, response)
    for (let time = 0; time < 2; time += 1) expect((await pull('a/manifests/v1')).status).toBe(200)
    expect([source.asked(/manifests/), source.asked(/manifests/, 'HEAD')]).toEqual([2, 1])
  })
})

describe('a part of a blob that is coming', () => {
  const slowly = async () => {
    const place = await virtual()
    const blob = randomBytes(300_000)
    const { digest } = place.source.blob(blob)
    const rest = Promise.withResolvers<void>()
    place.source.behave = (_, response) => {
      response.writeHead(200, { 'content-length': blob.length }).write(blob.subarray(0, 200_000))
      void rest.promise.then(() => response.end(blob.subarray(200_000)))
      return true
    }
    return { ...place, blob, path: `a/blobs/${digest}`, rest }
  }

  test.each([
    ['bytes=0-', 0],
    ['bytes=100000-', 100_000],
    ['bytes=-250000', 50_000],
  ])('comes at once if it goes on to the end: %s', async (range, from) => {
    const { ask, blob, path, rest } = await slowly()
    const answer = await ask(path, { headers: { range } })
    expect([
      answer.status,
      answer.headers.get('content-range'),
      answer.headers.get('content-length'),
    ]).toEqual([206, `bytes ${from}-299999/300000`, String(blob.length - from)])
    const reader = answer.body?.getReader()
    const pieces: Uint8Array[] = []
    // Before the upstream has sent it all.
    pieces.push((await reader?.read())?.value ?? new Uint8Array())
    rest.resolve()
    for (;;) {
      const next = await reader?.read()
      if (next?.value === undefined) break
      pieces.push(next.value)
    }
    expect(Buffer.concat(pieces)).toEqual(blob.subarray(from))
  })

  test('waits for the whole if it does not, because only the whole can be verified', async () => {
    const { pull, blob, path, rest } = await slowly()
    const part = pull(path, { range: 'bytes=5-9' })
    rest.resolve()
    const { status, bytes } = await part
    expect([status, bytes]).toEqual([206, blob.subarray(5, 10)])
  })

  test('is cut before its last byte if the blob turns out to be wrong', async () => {
    const { source, pull } = await virtual()
    const digest = digestOf(randomBytes(10))
    source.blobs.set(digest, randomBytes(100_000))
    await expect(pull(`a/blobs/${digest}`, { range: 'bytes=0-' })).rejects.toThrow('terminated')
  })

  test('after its end is refused: 416', async () => {
    const { source, pull } = await virtual()
    const { digest } = source.blob('0123456789')
    const { status, headers } = await pull(`a/blobs/${digest}`, { range: 'bytes=10-' })
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })
})

describe('an upstream that has failed just now', () => {
  test('is asked again when nothing else has it, by one request for all', async () => {
    const { source, pull } = await virtual()
    const { layer } = source.image('a', 'v1')
    source.behave = always(500)
    expect((await pull('a/manifests/v1')).status).toBe(503)
    source.behave = () => false
    expect((await pull('a/manifests/v1')).status).toBe(200)
    source.behave = always(500)
    expect((await pull('a/manifests/v2')).status).toBe(503)
    source.behave = () => false
    const all = await Promise.all([
      pull(`a/blobs/${layer.digest}`),
      ...Array.from({ length: 4 }, () => pull('a/tags/list')),
    ])
    expect(all.map(({ status }) => status)).toEqual([200, 404, 404, 404, 404])
  })

  test('is asked last for what others may have, too', async () => {
    const { sources, pull } = await virtual(2)
    const [first, second] = sources
    const { manifest, layer } = first?.image('a', 'v1') ?? { manifest: { digest: '' }, layer: { digest: '' } }
    if (first !== undefined) first.behave = always(500)
    expect((await pull('a/manifests/v1')).status).toBe(503)
    if (first !== undefined) first.behave = () => false
    expect((await pull(`a/manifests/${manifest.digest}`)).status).toBe(200)
    expect((await pull(`a/blobs/${layer.digest}`)).status).toBe(200)
    expect(second?.asked(/manifests/)).toBe(1)
  })

  test('is left alone for as long as it asks for', async () => {
    const { source, pull } = await virtual()
    source.image('a', 'v1')
    source.behave = always(503, { 'retry-after': '60' })
    await pull('a/manifests/v1')
    source.behave = () => false
    const answer = await pull('a/manifests/v1')
    expect([answer.status, Number(answer.headers.get('retry-after')) > 50]).toEqual([503, true])
    expect(source.questions).toHaveLength(1)
  })
})

describe('SHA-512', () => {
  test('names manifests and blobs, which are kept', async () => {
    const { source, pull, by, upstreams } = await virtual()
    const sha512 = (bytes: Buffer) => `sha512:${createHash('sha512').update(bytes).digest('hex')}`
    const manifest = Buffer.from('{"schemaVersion":2}')
    const blob = randomBytes(2_000)
    const image = `${'a'.repeat(200)}/${'b'.repeat(54)}`
    source.manifests.set(`${image} ${sha512(manifest)}`, { bytes: manifest, type: OCI_MANIFEST })
    source.blobs.set(sha512(blob), blob)
    source.behave = (request, response) =>
      request.url?.endsWith('/v1') === true &&
      always(
        200,
        { 'content-type': OCI_MANIFEST, 'docker-content-digest': sha512(manifest) },
        manifest,
      )(request, response)
    for (const [path, bytes] of [
      [`${image}/manifests/${sha512(manifest)}`, manifest],
      [`${image}/manifests/v1`, manifest],
      [`${image}/blobs/${sha512(blob)}`, blob],
    ] as const) {
      const got = await pull(path, accepted)
      expect([got.status, got.bytes]).toEqual([200, bytes])
      await isKept(pull, path)
    }
    const list = `/virtual_registries/container/upstreams/${upstreams[0].id}/cache_entries`
    expect(new Set((await by.get(list)).body.map(({ digest }: { digest: string }) => digest))).toEqual(
      new Set([sha512(manifest), sha512(blob)]),
    )
  })
})
