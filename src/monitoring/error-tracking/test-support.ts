import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { expect } from 'vitest'
import type { Actor, World } from '#test/world.ts'

/** An answer to an SDK. */
export interface SdkAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Sends bytes as an SDK does. */
export function post(
  url: string,
  body: Buffer | string,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<SdkAnswer> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers, agent: false }, (answer) => {
      const pieces: Buffer[] = []
      answer.on('data', (piece: Buffer) => pieces.push(piece))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      )
    })
    sending.on('error', reject)
    sending.end(body)
  })
}

export const newId = () => randomUUID().replaceAll('-', '')

/** An event as SDKs send them: an exception with a call in the program's own code. */
export const failure = (value = 'it failed', more: object = {}) => ({
  event_id: newId(),
  timestamp: Date.now() / 1000,
  platform: 'node',
  exception: {
    values: [
      {
        type: 'TypeError',
        value,
        mechanism: { type: 'generic', handled: false },
        stacktrace: {
          frames: [
            { filename: 'node:internal/main.js', function: 'run', lineno: 1, in_app: false },
            { filename: '/app/src/pay.js', function: 'pay', lineno: 12, colno: 7, in_app: true },
          ],
        },
      },
    ],
  },
  ...more,
})

type Item = readonly [head: object, payload: Buffer | string | object]

/** An envelope of these items. */
export function envelope(items: readonly Item[], head: object = {}): Buffer {
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head)}\n`)]
  for (const [itemHead, payload] of items) {
    const bytes = Buffer.isBuffer(payload)
      ? payload
      : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload))
    parts.push(
      Buffer.from(`${JSON.stringify({ length: bytes.length, ...itemHead })}\n`),
      bytes,
      Buffer.from('\n'),
    )
  }
  return Buffer.concat(parts)
}

export const ofEvent = (event: object): Buffer => envelope([[{ type: 'event' }, event]])

/** A project whose errors are tracked, with what programs need to report them. */
export async function tracked(world: World, settings: object = {}) {
  const place = await world.project()
  const base = `/projects/${place.id}/error_tracking`
  const { maintainer } = place
  expect(
    await maintainer.put(`${base}/settings`, { active: true, integrated: true, ...settings }),
  ).toMatchObject({ status: 200 })
  const { body: key } = await maintainer.post(`${base}/client_keys`)
  return { ...place, ...reporter(maintainer, base, key), base }
}

interface Key {
  readonly id: number
  readonly public_key: string
  readonly sentry_dsn: string
}

/** Reports with a client key, and reads what became of it. */
function reporter(by: Actor, base: string, key: Key) {
  const dsn = new URL(key.sentry_dsn)
  const [, prefix = '', id = ''] = /^(.*)\/(\d+)$/.exec(dsn.pathname) ?? []
  const api = `${dsn.protocol}//${dsn.host}${prefix}/api/${id}`
  const auth = {
    'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key.public_key}, sentry_client=test/1`,
  }
  const send = (body: Buffer | string, headers: Record<string, string> = auth) =>
    post(`${api}/envelope/`, body, headers)
  const errors = async (query = '') => (await by.get(`${base}/errors${query}`)).body
  return {
    key,
    dsn: key.sentry_dsn,
    api,
    auth,
    send,
    errors,
    report: async (event: object) => {
      const answer = await send(ofEvent(event))
      expect(answer).toMatchObject({ status: 200 })
    },
    /** Waits until there are errors as expected. */
    expectErrors: async (expected: readonly object[], query = '') => {
      await expect.poll(() => errors(query)).toMatchObject(expected)
    },
    get: async (errorId: number) => (await by.get(`${base}/errors/${errorId}`)).body,
  }
}
