import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Type } from 'typebox'
import { beforeAll, describe, expect, test } from 'vitest'
import { anyone, writes } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { Client } from '#test/client.ts'
import { RawConnection } from '#test/raw.ts'
import { type TransportApp, transportApps, unlistening } from '#test/transport-app.ts'
import { type Place, w } from '#test/world.ts'

const MiB = 1024 * 1024
const json = { 'content-type': 'application/json' }
let place: Place
beforeAll(async () => {
  place = await w.project()
})

const appWith = transportApps()

const token = () => ({ 'private-token': place.maintainer.token })
const labels = () => `/api/v4/projects/${place.id}/labels`

describe('slow senders', () => {
  const quick = { idle: 300, wait: 800, bytesPerSecond: Number.POSITIVE_INFINITY }
  let url: string
  beforeAll(async () => {
    ;({ url } = await appWith({
      inMemory: quick,
      streamed: { idle: 10_000, wait: 1_000, bytesPerSecond: 1_000 },
      rest: { bytes: 64 * MiB, milliseconds: 500 },
    }))
  })

  /** Sends a piece each 50 ms until the connection is closed. */
  async function trickle(connection: RawConnection, piece = ' '): Promise<void> {
    while (!connection.socket.closed) {
      if (connection.socket.writable) connection.write(piece)
      await pause(50)
    }
  }

  test('of forty bodies are all told 408, or who they are not, and closed, and others are answered meanwhile', async () => {
    const begun = performance.now()
    const connections = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const connection = await RawConnection.open(url)
        const who = index % 2 === 0 ? token() : index % 3 === 0 ? { 'private-token': 'wrong' } : {}
        connection.head(`POST ${labels()}`, { ...json, ...who, 'content-length': 10_000 })
        return connection
      }),
    )
    const all = Promise.all(connections.map((connection) => trickle(connection)))
    const other = new Client(url, token())
    for (let asked = 0; asked < 5; asked += 1) {
      expect((await other.get(`/projects/${place.id}`)).status).toBe(200)
      await pause(20)
    }
    await all
    expect(performance.now() - begun).toBeLessThan(5_000)
    const statuses = await Promise.all(connections.map((connection) => connection.status()))
    expect(statuses).toEqual(connections.map((_, index) => (index % 2 === 1 && index % 3 === 0 ? 401 : 408)))
  })

  test('who stop are told 408', async () => {
    const connection = await RawConnection.open(url)
    connection.head(`POST ${labels()}`, { ...json, ...token(), 'content-length': 10_000 })
    connection.write('{"name":')
    expect(await connection.status()).toBe(408)
    expect(connection.received).toContain('{"message":"408 Request Timeout"}')
    await connection.closed()
  })

  test('of a head are closed', async () => {
    const { url: hasty } = await appWith({ head: 400, headCheck: 50 })
    const connection = await RawConnection.open(hasty)
    connection.write('GET /api/v4/version HTTP/1.1\r\nHost: x\r\nX-Long: ')
    await trickle(connection, 'x')
    expect(await connection.status()).toBe(408)
    const silent = await RawConnection.open(hasty)
    await silent.closed()
  })

  test('of a stream need to keep up a rate, and may take as long as they like then', async () => {
    const slow = await RawConnection.open(url)
    slow.head('POST /api/v4/test/stream', { ...token(), 'content-length': 1_000_000 })
    await trickle(slow, 'x'.repeat(5))
    expect(await slow.status()).toBe(408)
    const steady = await RawConnection.open(url)
    steady.head('POST /api/v4/test/stream', { ...token(), 'content-length': 30_000 })
    for (let sent = 0; sent < 30; sent += 1) {
      steady.write('x'.repeat(1_000))
      await pause(50)
    }
    expect(await steady.status()).toBe(200)
    steady.end()
  })

  test('of a stream cannot be slow for hours because they were quick first', async () => {
    const connection = await RawConnection.open(url)
    connection.head('POST /api/v4/test/stream', { ...token(), 'content-length': 1_000_000 })
    // At the least rate, this takes two minutes.
    connection.write('x'.repeat(120_000))
    const begun = performance.now()
    await trickle(connection, 'x'.repeat(5))
    expect(await connection.status()).toBe(408)
    expect(performance.now() - begun).toBeLessThan(60_000)
  })
})

describe('a route that takes its body', () => {
  let made: TransportApp
  let url: string
  beforeAll(async () => {
    made = await appWith()
    ;({ url } = made)
  })

  test('as a stream gets any size and any content type, and parameters from the query alone', async () => {
    const client = new Client(url, token())
    const { status, body } = await client.send('POST', '/test/stream', {
      form: 'x'.repeat(40 * MiB),
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect([status, body]).toEqual([200, { bytes: 40 * MiB }])
    const unread = { form: '{"private_token":"x"}', headers: json }
    expect((await new Client(url).send('POST', '/test/stream', unread)).status).toBe(401)
    expect((await client.post('/test/stream')).body).toEqual({ bytes: 0 })
  })

  test('as a stream slows the sender down to its own pace and holds nothing in memory', async () => {
    const size = 100 * MiB
    const connection = await RawConnection.open(url)
    connection.head('POST /api/v4/test/slow-stream', { ...token(), 'content-length': size })
    const piece = Buffer.alloc(MiB, 'x')
    let taken = 0
    const sending = (async () => {
      for (; taken < size; taken += MiB) {
        if (!connection.socket.write(piece)) await once(connection.socket, 'drain')
      }
    })()
    // The kernel's buffers fill up, and then nothing moves.
    for (let before = -1; before !== taken;) {
      before = taken
      await pause(300)
    }
    expect(taken).toBeLessThan(20 * MiB)
    made.letThrough()
    await sending
    expect(await connection.status()).toBe(200)
    expect(connection.received).toContain(`{"bytes":${size}}`)
    expect(made.app.bodyMemory.used).toBe(0)
    connection.end()
  })

  test('raw gets its bytes, up to its limit', async () => {
    const client = new Client(url, token())
    const send = (bytes: number) =>
      client.send('POST', '/test/raw', { form: 'x'.repeat(bytes), headers: { 'content-type': 'image/png' } })
    expect((await send(1_000)).body).toEqual({ bytes: 1_000 })
    expect((await send(1_001)).status).toBe(413)
  })

  test('cannot say that it takes parameters as well', async () => {
    const app = await unlistening()
    const body = Type.Object({})
    const schema = { body, response: { 200: Type.Null() } }
    expect(() =>
      app.post('/both', { config: { ...writes(anyone), ...streamed }, schema }, async () => null),
    ).toThrow('POST /both declares parameters in a body that holds none')
    await app.close()
  })
})

test('a route that answers with a stream declares HEAD', async () => {
  const app = await unlistening()
  const stream = Type.Unsafe<string>({ type: 'string', contentMediaType: 'text/csv' })
  const schema = { response: { 200: stream } }
  expect(() => app.get('/stream', { config: writes(anyone), schema }, async () => '')).toThrow(
    'GET /stream answers with a stream and does not declare HEAD',
  )
  await app.close()
})
