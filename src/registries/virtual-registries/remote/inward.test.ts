import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Guard, type Resolve } from '#platform/outgoing/guard.ts'
import { Outgoing } from '#platform/outgoing/outgoing.ts'
import { always, digestOf, FakeRegistry } from '#test/fake-registry.ts'
import { Remotes } from './remotes.ts'

// Whoever manages upstreams, and whoever runs one, chooses where this server sends requests. None may lead inward.

/** Answers everybody; nobody may ask it. */
const inside: IncomingMessage[] = []
const server = createServer((request, response) => {
  inside.push(request)
  response.end('secret')
})
let port = 0
let source: FakeRegistry

beforeAll(async () => {
  source = await FakeRegistry.open()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(async () => {
  await source[Symbol.asyncDispose]()
  server.close()
})
afterEach(() => {
  inside.length = 0
  source.behave = () => false
  source.questions.length = 0
})

const names: Readonly<Record<string, readonly string[]>> = {
  'upstream.test': ['127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'inside.test': ['127.0.0.1'],
  'inside-by-ipv6.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'one-of-two.test': ['8.8.8.8', '10.0.0.1'],
  'metadata.test': ['169.254.169.254'],
}
const resolveByName: Resolve = (host) =>
  Promise.resolve(
    (names[host.replace(/\.$/, '')] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    })),
  )

/** The upstream is on this machine, so its address is allowed, with its port alone. */
function remotes(
  resolve = resolveByName,
  allowed: readonly string[] = [`127.0.0.1:${new URL(source.url).port}`],
) {
  const settings = {
    allow_local_requests_from_web_hooks_and_services: false,
    outbound_local_requests_whitelist: [...allowed],
  }
  return new Remotes(new Outgoing(new Guard(() => settings, resolve)))
}

const digest = digestOf('a blob')
const ask = (through: Remotes, url: string) =>
  through.ask(
    { url, credentials: undefined },
    {
      method: 'GET',
      image: 'a',
      path: `a/blobs/${digest}`,
      maxBytes: 1_000,
      signal: AbortSignal.timeout(10_000),
    },
  )

const places: readonly [what: string, url: string][] = [
  ['loopback', 'http://127.0.0.1:PORT'],
  ['another loopback', 'http://127.8.9.10:PORT'],
  ['this host', 'http://localhost:PORT'],
  ['this host with a dot', 'http://inside.test.:PORT'],
  ['no address', 'http://0.0.0.0:PORT'],
  ['zero', 'http://0:PORT'],
  ['a private network', 'http://10.0.0.1:PORT'],
  ['a private network', 'http://172.16.0.1:PORT'],
  ['a private network', 'http://192.168.0.1:PORT'],
  ['the network of a carrier', 'http://100.64.0.1:PORT'],
  ['the metadata of a cloud', 'http://169.254.169.254'],
  ['decimal', 'http://2130706433:PORT'],
  ['octal', 'http://0177.0.0.1:PORT'],
  ['octal as a whole', 'http://017700000001:PORT'],
  ['hexadecimal', 'http://0x7f000001:PORT'],
  ['hexadecimal in parts', 'http://0x7f.0x0.0x0.0x1:PORT'],
  ['mixed', 'http://0x7f.1:PORT'],
  ['shortened', 'http://127.1:PORT'],
  ['wide digits', 'http://１２７.0.0.1:PORT'],
  ['digits in circles', 'http://①②⑦.⓪.⓪.①:PORT'],
  ['dots of another script', 'http://127。0。0。1:PORT'],
  ['escaped', 'http://%31%32%37.0.0.1:PORT'],
  ['IPv6 loopback', 'http://[::1]:PORT'],
  ['mapped', 'http://[::ffff:127.0.0.1]:PORT'],
  ['mapped in hexadecimal', 'http://[::ffff:7f00:1]:PORT'],
  ['mapped private', 'http://[::ffff:10.0.0.1]:PORT'],
  ['compatible', 'http://[::127.0.0.1]:PORT'],
  ['NAT64', 'http://[64:ff9b::7f00:1]:PORT'],
  ['6to4', 'http://[2002:7f00:1::]:PORT'],
  ['unique local', 'http://[fd00::1]:PORT'],
  ['link-local', 'http://[fe80::1]:PORT'],
  ['a name that leads inside', 'http://inside.test:PORT'],
  ['a name that leads inside by IPv6', 'http://inside-by-ipv6.test:PORT'],
  ['a name with a mapped address', 'http://mapped.test:PORT'],
  ['a name of which one address is inside', 'http://one-of-two.test'],
  ['a name of the metadata', 'http://metadata.test'],
  ['a user who looks like a host', 'http://8.8.8.8@127.0.0.1:PORT'],
  ['a user and a password', 'http://registry.example:443@127.0.0.1:PORT'],
  ['an escaped user', 'http://8.8.8.8%2F@127.0.0.1:PORT'],
  ['a fragment that looks like a host', 'http://127.0.0.1:PORT#@8.8.8.8'],
  ['a backslash', 'http://127.0.0.1:PORT\\@8.8.8.8'],
  ['a port of another service', 'http://8.8.8.8:25'],
  ['another protocol', 'ftp://127.0.0.1:PORT'],
  ['a file', 'file:///etc/passwd'],
]

describe.each(places)('%s, as %s', (_, form) => {
  const url = () => form.replace('PORT', String(port))
  const upstream = () => source.url.replace('127.0.0.1', 'upstream.test')

  test('is not asked as an upstream', async () => {
    // Whoever stores a URL takes a path apart from it; here none is needed to be refused.
    await expect(ask(remotes(), url())).rejects.toMatchObject({ name: 'OutgoingFailed', reason: 'refused' })
    expect(inside).toEqual([])
  })

  test('is not followed to when an upstream redirects there', async () => {
    source.behave = always(307, { location: Buffer.from(url()).toString('latin1') })
    if (/[^\x20-\x7e]/.test(form)) source.behave = always(307, { location: new URL(url()).href })
    await expect(ask(remotes(), upstream())).rejects.toMatchObject({ reason: 'refused' })
    expect([inside, source.questions.length]).toEqual([[], 1])
  })

  test('is not asked for a token', async () => {
    if (!form.startsWith('http') || /[^\x20-\x7e]|\\/.test(form)) return
    source.behave = always(401, { 'www-authenticate': `Bearer realm="${url()}",service="x"` })
    await expect(ask(remotes(), upstream())).rejects.toMatchObject({ reason: 'refused' })
    expect([inside, source.questions.length]).toEqual([[], 1])
  })
})

describe('a name that changes its address', () => {
  test('leads to the address that was checked, which is looked up once', async () => {
    source.blobs.set(digest, Buffer.from('a blob'))
    let asked = 0
    const rebinding: Resolve = () => {
      asked += 1
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
    }
    const other = createServer((request, response) => {
      inside.push(request)
      response.end('secret')
    })
    const { port } = new URL(source.url)
    other.listen(Number(port), '127.0.0.2')
    await once(other, 'listening')
    try {
      const through = remotes(rebinding)
      const { status, body } = await ask(through, `http://rebinding.test:${port}`)
      body.destroy()
      expect([status, asked, inside, source.questions.length]).toEqual([200, 1, [], 1])
      // The next request looks again, and what it finds is checked.
      await expect(ask(through, `http://rebinding.test:${port}`)).rejects.toMatchObject({ reason: 'refused' })
      expect(inside).toEqual([])
    } finally {
      other.close()
    }
  })

  test('is checked again when an upstream redirects to itself', async () => {
    let asked = 0
    const rebinding: Resolve = () => {
      asked += 1
      return Promise.resolve([{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }])
    }
    source.behave = (request, response) =>
      always(307, { location: `${request.url}?again` })(request, response)
    await expect(
      ask(remotes(rebinding), source.url.replace('127.0.0.1', 'rebinding.test')),
    ).rejects.toMatchObject({ reason: 'refused' })
    expect([asked, source.questions.length]).toEqual([2, 1])
  })
})

test.each([
  ['http://127.0.0.1:PORT', '127.0.0.1'],
  ['http://2130706433:PORT', '127.0.0.0/8'],
  ['http://inside.test:PORT', 'inside.test'],
  ['http://inside.test:PORT', 'inside.test:PORT'],
  ['http://[::ffff:127.0.0.1]:PORT', '127.0.0.1:PORT'],
])('%s is asked where administrators allow %s', async (url, entry) => {
  const fill = (text: string) => text.replace('PORT', String(port))
  const { status, body } = await ask(remotes(resolveByName, [fill(entry)]), fill(url))
  body.destroy()
  expect([status, inside.length]).toEqual([200, 1])
})
