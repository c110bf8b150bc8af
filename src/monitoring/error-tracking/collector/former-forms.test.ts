import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { envelope, failure, ofEvent, post, tracked } from '../test-support.ts'

// What the SDKs sent before there were envelopes, and what Sentry's relay still takes.

const json = (event: object) => Buffer.from(JSON.stringify(event))
const base64 = (bytes: Buffer) => bytes.toString('base64')

describe('an event alone is taken', () => {
  test.each([
    ['in zlib as base64, as raven for Node.js and Ruby', (event: object) => base64(deflateSync(json(event)))],
    ['the same in lines', (event: object) => base64(deflateSync(json(event))).replace(/.{60}/g, '$&\r\n')],
    ['as base64 alone, as raven for PHP without zlib', (event: object) => base64(json(event))],
    ['in gzip as base64', (event: object) => base64(gzipSync(json(event)))],
    ['in zlib, which no header names', (event: object) => deflateSync(json(event))],
    ['in gzip, which no header names', (event: object) => gzipSync(json(event))],
    ['behind a byte order mark', (event: object) => `\uFEFF${JSON.stringify(event)}`],
  ])('%s', async (_, written) => {
    const { api, auth, expectErrors } = await tracked(w)
    const event = failure()
    const headers = { ...auth, 'content-type': 'application/octet-stream' }
    const answer = await post(`${api}/store/`, written(event), headers)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { id: event.event_id }])
    await expectErrors([{ title: 'TypeError: it failed', events_count: 1 }])
  })

  test('in base64 that is compressed once more on its way', async () => {
    const { api, auth, expectErrors } = await tracked(w)
    const body = gzipSync(base64(deflateSync(json(failure()))))
    const headers = { ...auth, 'content-encoding': 'gzip' }
    expect(await post(`${api}/store/`, body, headers)).toMatchObject({ status: 200 })
    await expectErrors([{ events_count: 1 }])
  })

  test('with the numbers of Python that JSON lacks, which count as none', async () => {
    const { api, auth, expectErrors, errors, get } = await tracked(w)
    const text = JSON.stringify(failure('NaN is "no" number', { extra: { a: 'NAN', b: [] } }))
    const body = text.replace('"NAN"', 'NaN').replace('[]', '[-Infinity,Infinity,1]')
    expect(await post(`${api}/store/`, body, auth)).toMatchObject({ status: 200 })
    await expectErrors([{ title: 'TypeError: NaN is "no" number' }])
    const [error] = await errors()
    const { latest_event: event } = await get(error.id)
    expect(event.extra).toEqual({ a: null, b: [null, null, 1] })
  })

  test('as an envelope, when its content type says so', async () => {
    const { api, auth, expectErrors } = await tracked(w)
    const headers = { ...auth, 'content-type': 'application/x-sentry-envelope' }
    expect(await post(`${api}/store/`, ofEvent(failure()), headers)).toMatchObject({ status: 200 })
    await expectErrors([{ events_count: 1 }])
  })

  test.each([
    ['as it is', (event: object) => JSON.stringify(event)],
    ['in zlib as base64', (event: object) => base64(deflateSync(json(event)))],
  ])('in a query, %s, and the answer is an image', async (_, written) => {
    const { api, key, expectErrors } = await tracked(w)
    const query = new URLSearchParams({
      sentry_version: '7',
      sentry_client: 'raven-js/3.27.2',
      sentry_key: key.public_key,
      sentry_data: written(failure()),
    })
    const answer = await fetch(`${api}/store/?${query.toString()}`)
    const image = Buffer.from(await answer.arrayBuffer())
    expect([answer.status, answer.headers.get('content-type'), image.toString('latin1', 0, 6)]).toEqual([
      200,
      'image/gif',
      'GIF89a',
    ])
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    await expectErrors([{ events_count: 1 }])
  })
})

test('an envelope in zlib or gzip is taken without a header that says so', async () => {
  const { send, expectErrors } = await tracked(w)
  for (const compress of [deflateSync, gzipSync])
    expect(await send(compress(ofEvent(failure())))).toMatchObject({ status: 200 })
  await expectErrors([{ events_count: 2 }])
})

describe('a program is refused, with the reason in a header,', () => {
  test.each([
    ['base64 of nothing that is known', base64(Buffer.from('hello, world')), 400, 'the JSON cannot be read'],
    ['zlib that ends early', deflateSync(json(failure())).subarray(0, 40), 400, 'cannot be decompressed'],
    ['a number of Python in a text that never ends', '{"a":NaN,"b":"\\', 400, 'the JSON cannot be read'],
    [
      'base64 of what becomes too large',
      base64(deflateSync(Buffer.alloc(64 * 1024 * 1024))),
      413,
      'is too large',
    ],
  ])('for %s', async (_, body, status, reason) => {
    const { api, auth } = await tracked(w)
    expect(await post(`${api}/store/`, body, auth)).toMatchObject({
      status,
      headers: { 'x-sentry-error': expect.stringContaining(reason) },
    })
  })

  test('in a query without a key, without an event, and with a wrong one', async () => {
    const { api, key } = await tracked(w)
    const ask = async (query: object) => {
      const asked = new URLSearchParams({ ...query, sentry_version: '7' }).toString()
      const { status, headers } = await fetch(`${api}/store/?${asked}`)
      return [status, headers.get('x-sentry-error')]
    }
    expect(await ask({ sentry_data: '{}' })).toEqual([401, 'missing authorization information'])
    expect(await ask({ sentry_key: key.public_key })).toEqual([400, 'sentry_data is missing'])
    expect(await ask({ sentry_key: key.public_key, sentry_data: 'nope' })).toEqual([
      400,
      'the JSON cannot be read',
    ])
    expect(await ask({ sentry_key: key.public_key, sentry_data: 'x'.repeat(8_001) })).toEqual([
      400,
      expect.stringContaining('sentry_data is too long'),
    ])
    expect((await ask({ sentry_key: key.public_key, sentry_data: 'x'.repeat(9_000) }))[0]).toBe(414)
  })
})

test('levels of other times are known', async () => {
  const { send, errors, expectErrors } = await tracked(w)
  const levels = ['log', 'critical', 50, 40, 30, 20, 10, 'verbose']
  for (const level of levels) {
    const item = [
      { type: 'event' },
      { message: `said ${String(level)} loud`, level, fingerprint: [`${level}`] },
    ]
    expect(await send(envelope([item as never]))).toMatchObject({ status: 200 })
  }
  await expectErrors(levels.map(() => ({ events_count: 1 })))
  const found: { title: string; level: string }[] = await errors()
  expect(Object.fromEntries(found.map(({ title, level }) => [title.split(' ')[1], level]))).toEqual({
    log: 'info',
    critical: 'fatal',
    50: 'fatal',
    40: 'error',
    30: 'warning',
    20: 'info',
    10: 'debug',
    verbose: 'error',
  })
})
