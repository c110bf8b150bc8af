import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { digestOf } from '#test/fake-registry.ts'
import { s3, s3Installed } from '#test/s3.ts'
import { own, Puller, withVirtualRegistries } from '../test-support.ts'
import { accepted, closingRegistries, virtual } from './test-support.ts'

withVirtualRegistries({ local: true })
closingRegistries()

/** Another node on the same database. */
async function node(env: Record<string, string> = {}) {
  const server = await own.another(undefined, env, 'premium')
  onTestFinished(() => server.stop())
  return server
}

describe('two nodes', () => {
  test('get a blob that many want at both once', async () => {
    const { source, registry, group } = await virtual()
    const other = await node()
    const { digest } = source.blob(randomBytes(1_500_000))
    const [here, there] = [new Puller(own.url, group.guest.token), new Puller(other.url, group.guest.token)]
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        (at % 2 === 0 ? here : there).get(`${registry.id}/a/blobs/${digest}`),
      ),
    )
    expect(all.map((answer) => [answer.status, digestOf(answer.bytes)])).toEqual(all.map(() => [200, digest]))
    expect(source.asked(/blobs/)).toBe(1)
  })

  test('serve what the other one has kept, and know of its purges', async () => {
    const { source, registry, group, upstreams } = await virtual()
    const other = await node()
    source.image('a', 'v1')
    const [here, there] = [own.url, other.url].map((url) => new Puller(url, group.guest.token))
    const path = `${registry.id}/a/manifests/v1`
    await here?.get(path, accepted)
    expect((await there?.get(path, accepted))?.headers.get('x-virtual-registry-cache')).toBe('hit')
    const maintainer = new Client(other.url, group.maintainer.headers)
    await maintainer.delete(`/virtual_registries/container/upstreams/${upstreams[0].id}/cache`)
    expect((await here?.get(path, accepted))?.headers.get('x-virtual-registry-cache')).toBe('miss')
    expect(source.asked(/manifests/)).toBe(2)
  })

  test('do not wait for one that died with a blob for longer than its lease', async () => {
    const { source, registry, group, upstreams } = await virtual()
    const { digest } = source.blob(randomBytes(10_000))
    const path = `a/blobs/${digest}`
    const name = `container blob ${upstreams[0].id} ${createHash('sha256').update(path).digest('hex')}`
    const until = new Date(Date.now() + 4_000).toISOString()
    await own.db.insertInto('leases').values({ name, holder: 'a dead one', until }).execute()
    const started = Date.now()
    const { status } = await new Puller(own.url, group.guest.token).get(`${registry.id}/${path}`)
    expect(status).toBe(200)
    expect(Date.now() - started).toBeGreaterThan(1_000)
  })
})

describe.skipIf(!s3Installed)('with S3', () => {
  test('images are kept there, served from there by both nodes, and by signed URLs where these are configured', async () => {
    const { source, registry, group } = await virtual()
    const bucket = await s3()
    const env = bucket.environment()
    const [one, two, signing] = [
      await node(env),
      await node(env),
      await node(bucket.environment({ signed_urls: 'true' })),
    ]
    const blob = randomBytes(700_000)
    const { digest } = source.blob(blob)
    const { manifest } = source.image('a', 'v1')
    const get = (url: string, path: string) =>
      new Puller(url, group.guest.token).get(`${registry.id}/${path}`, accepted)
    expect((await get(one.url, `a/blobs/${digest}`)).bytes).toEqual(blob)
    expect((await get(one.url, 'a/manifests/v1')).bytes).toEqual(manifest.bytes)
    await expect.poll(() => bucket.keys().length).toBe(2)
    const again = await get(two.url, `a/blobs/${digest}`)
    expect([again.bytes.equals(blob), again.headers.get('x-virtual-registry-cache')]).toEqual([true, 'hit'])
    const part = await new Puller(two.url, group.guest.token).get(`${registry.id}/a/blobs/${digest}`, {
      range: 'bytes=600000-600009',
    })
    expect([part.status, part.bytes]).toEqual([206, blob.subarray(600_000, 600_010)])
    const redirect = await get(signing.url, `a/blobs/${digest}`)
    expect(redirect.status).toBe(307)
    const followed = await fetch(redirect.headers.get('location') ?? '')
    expect(digestOf(Buffer.from(await followed.arrayBuffer()))).toBe(digest)
    expect(source.asked(/blobs/)).toBe(1)
  }, 180_000)

  test('a store that fails keeps nobody from pulling', async () => {
    const { source, registry, group } = await virtual()
    const bucket = await s3()
    const server = await node(bucket.environment())
    bucket.control.behave = (method) => (method === 'PUT' || method === 'POST' ? 'refuse' : 'pass')
    const { digest } = source.blob(randomBytes(100_000))
    const puller = new Puller(server.url, group.guest.token)
    expect(digestOf((await puller.get(`${registry.id}/a/blobs/${digest}`)).bytes)).toBe(digest)
    bucket.control.behave = () => 'pass'
    await expect
      .poll(async () =>
        (await puller.get(`${registry.id}/a/blobs/${digest}`)).headers.get('x-virtual-registry-cache'),
      )
      .toBe('hit')
  }, 180_000)
})
