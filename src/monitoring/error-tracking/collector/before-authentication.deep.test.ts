import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { w } from '#test/world.ts'
import { envelope, failure, post, tracked } from '../test-support.ts'

const MEGABYTE = 1024 * 1024
/** Twenty megabytes of nothing, as 20 kB. */
const blank = gzipSync(Buffer.concat([Buffer.from('{}\n'), Buffer.alloc(19 * MEGABYTE, '\n')]))

test('a stranger has nothing decompressed and nothing taken apart', async () => {
  const { api } = await tracked(w)
  const sent = { 'content-encoding': 'gzip' }
  const stranger = { ...sent, 'x-sentry-auth': 'Sentry sentry_key=glet_00000000000000000000000000000000' }
  const answers: number[] = []
  const spent = await cpuTime(async () => {
    for (const path of ['envelope', 'store', 'envelope', 'store']) {
      answers.push((await post(`${api}/${path}/`, blank, sent)).status)
      answers.push((await post(`${api}/${path}/`, blank, stranger)).status)
    }
  })
  expect(answers).toEqual([401, 403, 401, 403, 401, 403, 401, 403])
  // It was 1.3 seconds for each.
  expect(spent).toBeLessThan(1_000)
})

test('a program that is known sends blank lines without keeping others waiting', async () => {
  const { send, auth } = await tracked(w)
  const spent = await cpuTime(async () => {
    for (let count = 0; count < 3; count += 1)
      expect(await send(blank, { ...auth, 'content-encoding': 'gzip' })).toMatchObject({ status: 200 })
  })
  expect(spent).toBeLessThan(2_000)
})

test('the body of a stranger is not waited for', async () => {
  const { api } = await tracked(w)
  for (const path of ['envelope', 'store']) {
    const answer = await fetch(`${api}/${path}/`, {
      method: 'POST',
      headers: { 'x-sentry-auth': 'Sentry sentry_key=wrong' },
      // A body that never ends.
      body: new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('{}')) }),
      duplex: 'half',
    })
    expect(answer.status).toBe(403)
    await answer.body?.cancel()
  }
})

test.each([
  ['as it is', undefined, (bytes: Buffer) => bytes],
  ['in gzip', 'gzip', gzipSync],
  ['in br', 'br', brotliCompressSync],
  ['in zstd', 'zstd', zstdCompressSync],
  ['in gzip without a header', undefined, gzipSync],
] as const)(
  'a key in the head of an envelope opens one that is larger than its beginning, %s',
  async (_, coding, compress) => {
    const { api, dsn, expectErrors } = await tracked(w)
    const picture = Buffer.from(Array.from({ length: 200_000 }, (__, at) => (at * at * 31) % 251))
    const items = [
      [{ type: 'attachment' }, picture],
      [{ type: 'event' }, failure()],
    ] as const
    const body = compress(envelope(items, { dsn }))
    const headers: Record<string, string> = coding === undefined ? {} : { 'content-encoding': coding }
    expect(await post(`${api}/envelope/`, body, headers)).toMatchObject({ status: 200 })
    await expectErrors([{ events_count: 1 }])
  },
)

test('the head of an envelope is short', async () => {
  const { api } = await tracked(w)
  const long = envelope([], { dsn: 'x'.repeat(MEGABYTE) })
  const refusal = { status: 413, headers: { 'x-sentry-error': 'the head of the envelope is too large' } }
  expect(await post(`${api}/envelope/`, long)).toMatchObject(refusal)
  expect(await post(`${api}/envelope/`, gzipSync(long), { 'content-encoding': 'gzip' })).toMatchObject(
    refusal,
  )
})
