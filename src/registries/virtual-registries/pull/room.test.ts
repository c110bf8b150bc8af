import { randomBytes } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { always, OCI_MANIFEST } from '#test/fake-registry.ts'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { own, withVirtualRegistries } from '../test-support.ts'
import { bytesOf, closingRegistries, fill, limitTo, virtual } from './test-support.ts'

// What may be kept has a limit, and nobody who pulls fills the disk.

withVirtualRegistries({ local: true })
closingRegistries()

const MEGABYTE = 1024 * 1024
afterEach(async () => {
  await own.db.deleteFrom('container_cache_entries').execute()
  await limitTo(0)
})

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code
describe('what is kept of images', () => {
  test('has a limit by default', async () => {
    const { body } = await own.root.get('/application/settings')
    expect(body.container_virtual_registries_cache_limit).toBe(10_240)
  })

  test('never grows beyond its limit: what was not used for longest goes for what is wanted now', async () => {
    await limitTo(3)
    const place = await virtual()
    await fill(place, 5)
    expect(await bytesOf(place)).toBeLessThanOrEqual(3 * MEGABYTE)
    expect(await bytesOf(place)).toBeGreaterThanOrEqual(MEGABYTE)
  })

  test('goes first where a group keeps most, so that nobody drives out what others use', async () => {
    await limitTo(12)
    const [small, large] = [await virtual(), await virtual()]
    await fill(small, 1)
    await fill(large, 4, 4 * MEGABYTE)
    expect(await bytesOf(small)).toBe(MEGABYTE)
    expect(await bytesOf(large)).toBeLessThanOrEqual(11 * MEGABYTE)
  })

  test('does not include a blob that is larger than half of it: 507, before a byte is stored', async () => {
    await limitTo(2)
    const { source, pull, ask } = await virtual()
    const { digest } = source.blob(Buffer.alloc(MEGABYTE + 1, 7))
    const answer = await pull(`a/blobs/${digest}`)
    expect([answer.status, codeOf(answer)]).toEqual([507, 'UNAVAILABLE'])
    expect(JSON.parse(answer.bytes.toString()).errors[0].message).toMatch(/half .* 1 MB/)
    expect((await ask(`a/blobs/${digest}`, { method: 'HEAD' })).status).toBe(200)
  })

  test('does not include more of a blob than there is room for, whatever its upstream says', async () => {
    await limitTo(1)
    const place = await virtual()
    const blob = randomBytes(3 * MEGABYTE)
    const { digest } = place.source.blob(blob)
    // No length: the answer is sent in pieces.
    place.source.behave = (_, response) => {
      response.writeHead(200).write(blob.subarray(0, 2 * MEGABYTE))
      response.end(blob.subarray(2 * MEGABYTE))
      return true
    }
    await expect(place.pull(`a/blobs/${digest}`)).rejects.toThrow('terminated')
    expect(await bytesOf(place)).toBe(0)
  })

  test('is full for a group while half of it is coming: 503, and what is kept is served all the same', async () => {
    await limitTo(4)
    const { source, pull, ask } = await virtual(1, { cache_validity_hours: 0 })
    source.image('a', 'v1')
    await pull('a/manifests/v1')
    const blob = randomBytes(1.9 * MEGABYTE)
    const { digest } = source.blob(blob)
    const rest = Promise.withResolvers<void>()
    const manifest = Buffer.from(`{"schemaVersion":2,"pad":"${'x'.repeat(MEGABYTE)}"}`)
    source.behave = (request, response) => {
      if (request.url?.includes('/manifests/') === true)
        return always(
          200,
          { 'content-type': OCI_MANIFEST },
          request.method === 'HEAD' ? '' : manifest,
        )(request, response)
      response.writeHead(200, { 'content-length': blob.length }).write(blob.subarray(0, MEGABYTE))
      void rest.promise.then(() => response.end(blob.subarray(MEGABYTE)))
      return true
    }
    const coming = await ask(`a/blobs/${digest}`)
    const other = await pull('a/manifests/other')
    expect([other.status, codeOf(other), Number(other.headers.get('retry-after')) > 0]).toEqual([
      503,
      'UNAVAILABLE',
      true,
    ])
    expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('stale')
    await fill(await virtual(), 1)
    rest.resolve()
    expect(Buffer.from(await coming.arrayBuffer())).toEqual(blob)
  })

  test('leaves the disk minutes after it was forgotten, not a day', async () => {
    const place = await virtual()
    await fill(place, 1)
    const { file_id } = await own.db
      .selectFrom('container_cache_entries')
      .select('file_id')
      .where('upstream_id', '=', place.upstreams[0].id)
      .executeTakeFirstOrThrow()
    const minutes = sql<number>`round(extract(epoch from now() - used_at) / 60)::integer`.as('minutes')
    const unusedFor = async () =>
      (await own.db.selectFrom('files').select(minutes).where('id', '=', file_id).execute()).map(
        (file) => file.minutes,
      )
    expect(await unusedFor()).toEqual([0])
    await own.db.deleteFrom('container_cache_entries').execute()
    expect(await unusedFor()).toEqual([24 * 60 - 5])
    await sql`update files set used_at = used_at - interval '6 minutes' where id = ${file_id}`.execute(own.db)
    await own.write((tx) => enqueue(tx, cleanUpFiles, {}))
    await expect.poll(unusedFor).toEqual([])
  })
})
