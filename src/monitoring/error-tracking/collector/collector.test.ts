import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { envelope, failure, newId, ofEvent, post, tracked } from '../test-support.ts'

const EVENT = { type: 'event' }

describe('an event is taken', () => {
  test.each([
    ['as it is', undefined, (bytes: Buffer) => bytes],
    ['in gzip', 'gzip', gzipSync],
    ['in deflate', 'deflate', deflateSync],
    ['in deflate without its head', 'deflate', deflateRawSync],
    ['in br', 'br', brotliCompressSync],
    ['in zstd', 'zstd', zstdCompressSync],
  ] as const)('%s', async (_, coding, compress) => {
    const { auth, send, expectErrors } = await tracked(w)
    const event = failure()
    const headers = { ...auth, ...(coding && { 'content-encoding': coding }) }
    const answer = await send(compress(ofEvent(event)), headers)
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { id: event.event_id }])
    await expectErrors([{ title: 'TypeError: it failed', events_count: 1 }])
  })

  test.each([
    'text/plain;charset=UTF-8',
    'application/x-sentry-envelope',
    'application/json',
    'what/ever',
    '',
  ])('as %j, in chunks, at either path', async (type) => {
    const { api, auth, expectErrors } = await tracked(w)
    const headers = { ...auth, 'content-type': type, 'transfer-encoding': 'chunked' }
    expect(await post(`${api}/envelope/`, ofEvent(failure()), headers)).toMatchObject({ status: 200 })
    expect(await post(`${api}/envelope`, ofEvent(failure()), headers)).toMatchObject({ status: 200 })
    expect(await post(`${api}/store/`, JSON.stringify(failure()), headers)).toMatchObject({ status: 200 })
    await expectErrors([{ events_count: 3 }])
  })

  test('with a key in a header, in the query, or in the DSN of the envelope', async () => {
    const { api, auth, dsn, key, expectErrors } = await tracked(w)
    const path = `${api}/envelope/`
    const sent = [
      await post(path, ofEvent(failure()), auth),
      await post(path, ofEvent(failure()), { authorization: auth['x-sentry-auth'] }),
      await post(`${path}?sentry_version=7&sentry_key=${key.public_key}`, ofEvent(failure())),
      await post(path, envelope([[EVENT, failure()]], { dsn })),
    ]
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await expectErrors([{ events_count: 4 }])
  })

  test('so that browsers of other sites may read the answer', async () => {
    const { send, auth } = await tracked(w)
    const { headers } = await send(ofEvent(failure()), { ...auth, origin: 'https://shop.example' })
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After',
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'application/json',
    })
  })

  test('once, however often a program sends it', async () => {
    const { report, expectErrors } = await tracked(w)
    const event = failure()
    await report(event)
    await expectErrors([{ events_count: 1 }])
    await report(event)
    await report(failure())
    await expectErrors([{ events_count: 2 }])
  })

  test('with the id of the envelope, or one of ours, where it has none', async () => {
    const { send } = await tracked(w)
    const { event_id: id, ...event } = failure()
    const answer = await send(envelope([[EVENT, event]], { event_id: id }))
    expect(JSON.parse(answer.text)).toEqual({ id })
    expect(JSON.parse((await send(ofEvent(event))).text).id).toMatch(/^[\da-f]{32}$/)
  })
})

describe('what is no event', () => {
  test.each([
    'transaction',
    'session',
    'sessions',
    'profile',
    'profile_chunk',
    'check_in',
    'replay_event',
    'replay_recording',
    'client_report',
    'log',
    'feedback',
    'what comes next',
  ])('is accepted and dropped: %s', async (type) => {
    const { send } = await tracked(w)
    const answer = await send(envelope([[{ type }, { anything: true }]]))
    expect([answer.status, answer.text]).toEqual([200, '{}'])
  })

  test('comes with events: attachments with lines, empty items, items without a length', async () => {
    const { send, expectErrors } = await tracked(w)
    const body = Buffer.concat([
      envelope([
        [{ type: 'attachment', filename: 'a.bin' }, Buffer.from('one\n{"two"}\n\0')],
        [EVENT, failure()],
        [{ type: 'attachment' }, ''],
      ]),
      Buffer.from(`{"type":"session"}\n{"started":"now"}\n{"type":"event"}\n${JSON.stringify(failure())}`),
    ])
    expect((await send(body)).status).toBe(200)
    await expectErrors([{ events_count: 2 }])
  })

  test('is counted', async () => {
    const { send } = await tracked(w)
    await send(envelope([[{ type: 'replay_video' }, 'x']]))
    await send(envelope([[{ type: `made up ${newId()}` }, 'x']]))
    const { text } = await w.root.get('/-/metrics').catch(() => ({ text: '' }))
    const metrics =
      text === '' || !text.includes('forgelet') ? (await fetch(`${w.url}/-/metrics`)).text() : text
    expect(await metrics).toMatch(
      /forgelet_error_tracking_items_total\{type="replay_video",outcome="dropped"\} 1/,
    )
    expect(await metrics).toMatch(/forgelet_error_tracking_items_total\{type="other",outcome="dropped"\} \d/)
  })
})

describe('a program is refused, with the reason in a header,', () => {
  const refusedWith = (status: number, reason: string) => ({
    status,
    headers: { 'x-sentry-error': expect.stringContaining(reason) },
    text: expect.stringContaining(reason),
  })

  test('without a key', async () => {
    const { send } = await tracked(w)
    expect(await send(ofEvent(failure()), {})).toMatchObject(refusedWith(401, 'missing authorization'))
  })

  test('with a key that was deleted, at once', async () => {
    const { send, maintainer, base, key } = await tracked(w)
    expect(await send(ofEvent(failure()))).toMatchObject({ status: 200 })
    await maintainer.delete(`${base}/client_keys/${key.id}`)
    expect(await send(ofEvent(failure()))).toMatchObject(
      refusedWith(403, 'the key is not one of this project'),
    )
  })

  test('with the key of another project, and nothing tells whether there is one', async () => {
    const [one, other] = [await tracked(w), await tracked(w)]
    const unknown = { 'x-sentry-auth': 'Sentry sentry_key=glet_00000000000000000000000000000000' }
    const answers = [
      await post(`${other.api}/envelope/`, ofEvent(failure()), one.auth),
      await post(`${other.api}/envelope/`, ofEvent(failure()), unknown),
      await post(`${one.api.replace(/\d+$/, '999999999')}/envelope/`, ofEvent(failure()), one.auth),
    ]
    const seen = answers.map(({ status, headers, text }) => [status, headers['x-sentry-error'], text])
    expect(new Set(seen.map(String)).size).toBe(1)
    expect(answers[0]).toMatchObject(refusedWith(403, 'the key is not one of this project'))
  })

  test.each([
    { active: false, integrated: true },
    { active: true, integrated: false },
  ])('while tracking is %j', async (settings) => {
    const { send, maintainer, base } = await tracked(w)
    await maintainer.put(`${base}/settings`, settings)
    expect(await send(ofEvent(failure()))).toMatchObject(refusedWith(403, 'not active'))
    await maintainer.put(`${base}/settings`, { active: true, integrated: true })
    expect(await send(ofEvent(failure()))).toMatchObject({ status: 200 })
  })

  test('when the project is deleted', async () => {
    const { send, owner, id } = await tracked(w)
    expect((await owner.delete(`/projects/${id}`)).status).toBe(202)
    expect(await send(ofEvent(failure()))).toMatchObject(
      refusedWith(403, 'the key is not one of this project'),
    )
  })

  test.each([
    ['no envelope', 'hello', 'the JSON cannot be read'],
    ['an empty body', '', 'the JSON cannot be read'],
    ['a head that is no object', '[]\n', 'is no object'],
    ['an event that is no JSON', '{}\n{"type":"event"}\nnope', 'the JSON cannot be read'],
    ['an event that is no object', '{}\n{"type":"event"}\n[1]', 'the event is no object'],
    ['an item that is too short', '{}\n{"type":"event","length":99}\n{}', 'shorter'],
    ['an item that is too long', '{}\n{"type":"event","length":2}\n{}{}', 'longer'],
    ['an item of a negative length', '{}\n{"type":"event","length":-1}\n{}', 'shorter'],
  ])('for %s', async (_, body, reason) => {
    const { send } = await tracked(w)
    expect(await send(body)).toMatchObject(refusedWith(400, reason))
  })

  test('for what cannot be decompressed, and for unknown codings', async () => {
    const { send, auth } = await tracked(w)
    const as = (coding: string) => send(ofEvent(failure()), { ...auth, 'content-encoding': coding })
    for (const coding of ['gzip', 'deflate', 'br', 'zstd'])
      expect(await as(coding)).toMatchObject(refusedWith(400, 'cannot be decompressed'))
    expect(await as('rot13')).toMatchObject(refusedWith(415, 'unknown content encoding rot13'))
  })

  test('for what is too large, also once it is decompressed', async () => {
    const { send, auth } = await tracked(w)
    const large = ofEvent(failure('x'.repeat(1024 * 1024)))
    expect(await send(large)).toMatchObject(refusedWith(413, 'the event is too large'))
    const bomb = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024))
    expect(await send(bomb, { ...auth, 'content-encoding': 'zstd' })).toMatchObject(
      refusedWith(413, 'the decompressed request is too large'),
    )
    const many = envelope(Array.from({ length: 101 }, () => [{ type: 'session' }, {}] as const))
    expect(await send(many)).toMatchObject(refusedWith(413, 'the envelope is too large'))
    // The connection ends with this answer.
    const announced = { ...auth, 'content-length': String(21 * 1024 * 1024) }
    expect((await send('{}', announced).catch(() => ({ status: 413 }))).status).toBe(413)
  })

  test('past the events that a project may send in a minute, and other projects are not', async () => {
    const [one, other] = [await tracked(w), await tracked(w)]
    await w.root.put('/application/settings', { error_tracking_events_per_minute: 2 })
    try {
      const answers = []
      for (let count = 0; count < 3; count += 1) answers.push(await one.send(ofEvent(failure())))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
      expect(answers[2]).toMatchObject({
        headers: {
          'retry-after': '10',
          'x-sentry-rate-limits': '10:error:project:quota',
          'x-sentry-error': 'event dropped: quota',
        },
      })
      expect((await one.send(envelope([[{ type: 'session' }, {}]]))).status).toBe(200)
      expect((await other.send(ofEvent(failure()))).status).toBe(200)
    } finally {
      await w.root.put('/application/settings', { error_tracking_events_per_minute: 0 })
    }
  })
})
