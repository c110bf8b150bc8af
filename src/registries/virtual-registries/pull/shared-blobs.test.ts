import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { digestOf } from '#test/fake-registry.ts'
import { makeRegistry, makeUpstream, own, Puller, withVirtualRegistries } from '../test-support.ts'
import { closingRegistries, fake, virtual } from './test-support.ts'

// The same bytes may be kept of several upstreams. Whoever manages one makes it say that it has any digest.

withVirtualRegistries({ local: true })
closingRegistries()

type Place = Pick<Awaited<ReturnType<typeof virtual>>, 'source' | 'pull'>

/** Pulls a new blob until it is kept. */
async function keep({ source, pull }: Place) {
  const { digest } = source.blob(randomBytes(5_000))
  const path = `a/blobs/${digest}`
  await pull(path)
  await expect.poll(async () => (await pull(path)).headers.get('x-virtual-registry-cache')).toBe('hit')
  return digest
}

/** A registry whose upstream says of each digest that it has it, and sends something else. */
async function lying() {
  const place = await virtual()
  place.source.behave = ({ method }, response) => {
    response.writeHead(200, { 'content-length': 5_000 }).end(method === 'HEAD' ? '' : Buffer.alloc(5_000))
    return true
  }
  return place
}

describe('a blob that is kept', () => {
  test('is not transferred again for another registry of the group, if its own upstream has it', async () => {
    const place = await virtual()
    const digest = await keep(place)
    const source = await fake()
    source.blobs.set(digest, place.source.blobs.get(digest) ?? Buffer.alloc(0))
    const registry = await makeRegistry(place.by, place.group)
    await makeUpstream(place.by, registry, { url: source.url })
    const puller = new Puller(own.url, place.group.guest.token)
    const again = await puller.get(`${registry.id}/b/blobs/${digest}`)
    expect([again.status, digestOf(again.bytes)]).toEqual([200, digest])
    expect([source.asked(/blobs/), source.asked(/blobs/, 'HEAD')]).toEqual([0, 1])
    source.blobs.clear()
    expect((await puller.get(`${registry.id}/c/blobs/${digest}`)).status).toBe(404)
  })

  test('of another group is not served to whoever has an upstream say that it has it', async () => {
    const digest = await keep(await virtual())
    const { source, pull } = await lying()
    await expect(pull(`a/blobs/${digest}`)).rejects.toThrow('terminated')
    expect([source.asked(/blobs/), source.asked(/blobs/, 'HEAD')]).toEqual([1, 0])
  })

  test('of another group is transferred, and then stored once', async () => {
    const [one, other] = [await virtual(), await virtual()]
    const digest = await keep(one)
    other.source.blobs.set(digest, one.source.blobs.get(digest) ?? Buffer.alloc(0))
    expect(digestOf((await other.pull(`b/blobs/${digest}`)).bytes)).toBe(digest)
    expect(other.source.asked(/blobs/)).toBe(1)
    const kept = own.db.selectFrom('container_cache_entries').select('file_id').where('digest', '=', digest)
    await expect.poll(async () => (await kept.execute()).length).toBe(2)
    expect(await kept.distinct().execute()).toHaveLength(1)
  })

  test('no longer counts after its upstream was purged', async () => {
    const { source, pull, upstreams, by } = await virtual()
    const digest = await keep({ source, pull })
    await by.delete(`/virtual_registries/container/upstreams/${upstreams[0].id}/cache`)
    expect((await pull(`b/blobs/${digest}`)).status).toBe(200)
    expect([source.asked(/blobs/), source.asked(/blobs/, 'HEAD')]).toEqual([2, 0])
  })
})

test('any other file of the server is not served by its digest either', async () => {
  const bytes = randomBytes(5_000)
  await own.running.services.files.store(bytes, { max: 5_000 })
  const { source, pull } = await lying()
  await expect(pull(`a/blobs/${digestOf(bytes)}`)).rejects.toThrow('terminated')
  expect([source.asked(/blobs/), source.asked(/blobs/, 'HEAD')]).toEqual([1, 0])
})
