import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '#server-options.ts'
import { withinRanges } from '#platform/http/addresses.ts'
import { w } from '#test/world.ts'

const TOKEN = 'the-token-of-those-who-watch'

interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  /** The address of this machine that the request comes from. */
  readonly from?: string
}

/** Asks at the address that the server listens on, whatever its external URL. */
function ask({ app }: RunningServer, path: string, { headers = {}, from = '127.0.0.1' }: Sending = {}) {
  const { port } = app.server.address() as AddressInfo
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers, localAddress: from }
    request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
      .on('error', reject)
      .end()
  })
}

const hidden = { status: 404, text: '{"error":"404 Not Found"}' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('metrics and the parts of readiness', () => {
  test('are shown to this machine', async () => {
    expect((await ask(w.running, '/-/metrics')).status).toBe(200)
    expect((await ask(w.running, '/-/readiness')).text).toContain('database_check')
  })

  test('are hidden from whom a trusted proxy speaks for', async () => {
    const outside = { from: '127.0.0.9', headers: { 'x-forwarded-for': '203.0.113.7' } }
    expect(await ask(w.running, '/-/metrics', outside)).toEqual(hidden)
    expect(await ask(w.running, '/-/readiness', outside)).toEqual({ status: 200, text: '{"status":"ok"}' })
    // Health and liveness tell nothing but that they answer.
    expect(await ask(w.running, '/-/health', outside)).toEqual({ status: 200, text: 'Forgelet is up.\n' })
    expect(await ask(w.running, '/-/liveness', outside)).toEqual({ status: 200, text: '{"status":"ok"}' })
  })

  test('are shown to an address that is named, through a proxy that is trusted', async () => {
    const inside = { from: '127.0.0.9', headers: { 'x-forwarded-for': '127.0.0.2' } }
    expect((await ask(w.running, '/-/metrics', inside)).status).toBe(200)
  })

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'are hidden behind a proxy that is not trusted and sends %s',
    async (name) => {
      const proxied = { headers: { [name]: '127.0.0.1' } }
      expect(await ask(w.running, '/-/metrics', proxied)).toEqual(hidden)
      expect((await ask(w.running, '/-/readiness', proxied)).text).toBe('{"status":"ok"}')
    },
  )
})

describe('with addresses and a token of the operator', () => {
  let node: RunningServer
  beforeAll(async () => {
    node = await w.another(undefined, {
      FORGELET_MONITORING_ADDRESSES: '127.0.0.64/26, 2001:db8::/32',
      FORGELET_MONITORING_TOKEN: TOKEN,
    })
  })
  afterAll(() => node.stop())

  test('only these addresses are let in', async () => {
    expect((await ask(node, '/-/metrics', { from: '127.0.0.65' })).status).toBe(200)
    expect(await ask(node, '/-/metrics', { from: '127.0.0.1' })).toEqual(hidden)
  })

  test('the token opens from anywhere, and no other does', async () => {
    expect((await ask(node, '/-/metrics', { headers: bearer(TOKEN) })).status).toBe(200)
    expect((await ask(node, '/-/readiness', { headers: bearer(TOKEN) })).text).toContain('jobs_check')
    for (const token of ['wrong', `${TOKEN}x`, w.root.token]) {
      expect(await ask(node, '/-/metrics', { headers: bearer(token) })).toEqual(hidden)
    }
  })

  test('an address is in a range of its own family alone', () => {
    const isIn = withinRanges(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])
    const inside = ['10.255.0.1', '::ffff:10.0.0.1', '192.0.2.1', '2001:db8::1']
    const outside = ['11.0.0.1', '192.0.2.2', '2001:db9::1', '::ffff:11.0.0.1', 'nonsense', '']
    expect([...inside, ...outside].map(isIn)).toEqual([
      ...inside.map(() => true),
      ...outside.map(() => false),
    ])
  })
})
