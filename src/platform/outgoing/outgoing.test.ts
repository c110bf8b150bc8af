import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { once } from 'node:events'
import { connect, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { certificate, key } from '#test/certificate.ts'
import { Guard, type Resolve } from './guard.ts'
import { Outgoing, type OutgoingRequest } from './outgoing.ts'
import { OutgoingProxy } from './proxy.ts'

const trusted = getCACertificates('default')
setDefaultCACertificates([...trusted, certificate])
afterAll(() => setDefaultCACertificates(trusted))

interface Options {
  readonly local?: boolean
  readonly allowed?: readonly string[]
  readonly resolve?: Resolve
}

function outgoing({ local = false, allowed = [], resolve }: Options = {}): Outgoing {
  const settings = {
    allow_local_requests_from_web_hooks_and_services: local,
    outbound_local_requests_whitelist: [...allowed],
  }
  return new Outgoing(new Guard(() => settings, resolve))
}

const patience = { timeoutMs: 10_000, maxBytes: 10_000 }
const ask = (through: Outgoing, request: Pick<OutgoingRequest, 'url'> & Partial<OutgoingRequest>) =>
  through.request({ ...patience, ...request })

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const serve = (listener: RequestListener) => listen(createServer(listener))

/** Records what a server is sent. */
function recorder() {
  const seen: IncomingMessage[] = []
  const listener: RequestListener = (request, response) => {
    seen.push(request)
    response.end('hello')
  }
  return { seen, listener }
}

describe('where requests may go', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://１２７.0.0.1:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
  ])('refuses %s', async (url) => {
    const { seen, listener } = recorder()
    const port = await serve(listener)
    const asked = ask(outgoing(), { url: url.replace('PORT', String(port)) })
    await expect(asked).rejects.toMatchObject({
      name: 'OutgoingFailed',
      reason: 'refused',
      message:
        'Requests to the local network are not allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    })
    expect(seen).toEqual([])
  })

  test.each([
    ['ftp://example.com/', 'Only http and https are allowed'],
    ['file:///etc/passwd', 'Only http and https are allowed'],
    ['no url', 'The URL is not valid'],
    ['http://', 'The URL is not valid'],
    ['http://example.com@127.0.0.1/', 'The URL must not hold credentials'],
    ['http://user:secret@8.8.8.8/', 'The URL must not hold credentials'],
    [
      'http://8.8.8.8:25/',
      'Only the ports 80, 443 and those from 1024 are allowed (administrators can allow them with the setting outbound_local_requests_whitelist)',
    ],
  ])('refuses %s', async (url, message) => {
    await expect(ask(outgoing(), { url })).rejects.toMatchObject({ reason: 'refused', message })
  })

  test.each([
    'http://169.254.169.254/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[fd00:ec2::254]/',
  ])('refuses the metadata of a cloud at %s even when all local addresses are allowed', async (url) => {
    await expect(ask(outgoing({ local: true }), { url })).rejects.toMatchObject({ reason: 'refused' })
  })

  test('goes to local addresses if an administrator allows them, all or some', async () => {
    const { listener } = recorder()
    const port = await serve(listener)
    const url = `http://127.0.0.1:${port}/`
    for (const allowing of [
      { local: true },
      { allowed: ['127.0.0.1'] },
      { allowed: [`127.0.0.0/8:${port}`] },
    ]) {
      const { status, body } = await ask(outgoing(allowing), { url })
      expect([status, await text(body)]).toEqual([200, 'hello'])
    }
    await expect(ask(outgoing({ allowed: ['127.0.0.1:1'] }), { url })).rejects.toMatchObject({
      reason: 'refused',
    })
  })

  test('looks a name up once, and connects to what was checked', async () => {
    const { seen, listener } = recorder()
    const port = await serve(listener)
    let asked = 0
    const resolve: Resolve = async () => {
      asked += 1
      return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
    }
    const through = outgoing({ allowed: ['127.0.0.1'], resolve })
    const { status } = await ask(through, { url: `http://source.test:${port}/` })
    expect([status, asked, seen[0]?.headers.host]).toEqual([200, 1, `source.test:${port}`])
    await expect(ask(through, { url: `http://source.test:${port}/` })).rejects.toMatchObject({
      reason: 'refused',
    })
  })

  test('refuses a name of which one address is local', async () => {
    const resolve: Resolve = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    await expect(ask(outgoing({ resolve }), { url: 'http://source.test/' })).rejects.toMatchObject({
      reason: 'refused',
    })
  })

  test('says that a name is not known', async () => {
    const resolve: Resolve = () => Promise.reject(new Error('ENOTFOUND'))
    await expect(ask(outgoing({ resolve }), { url: 'http://source.test/' })).rejects.toMatchObject({
      reason: 'unreachable',
      message: 'The host source.test is not known',
    })
  })

  test('asks for the certificate of the name, not of the address', async () => {
    const names: (string | false | null)[] = []
    const server = createTlsServer({ key, cert: certificate }, ({ socket }, response) => {
      if (socket instanceof TLSSocket) names.push(socket.servername)
      response.end('hello')
    })
    const port = await listen(server)
    const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const through = outgoing({ local: true, resolve })
    const { body } = await ask(through, { url: `https://source.test:${port}/` })
    expect([await text(body), names]).toEqual(['hello', ['source.test']])
    await expect(ask(through, { url: `https://other.test:${port}/` })).rejects.toMatchObject({
      reason: 'unreachable',
      message: `other.test:${port} cannot be reached: its certificate is not trusted; administrators can name its authority in NODE_EXTRA_CA_CERTS`,
    })
  })
})

describe('redirects', () => {
  const headers = { authorization: 'Bearer secret', 'x-token': 'secret', accept: 'text/plain' }

  test('are the answer unless they are followed', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: '/there' }).end())
    const { status, headers } = await ask(outgoing({ local: true }), { url: `http://127.0.0.1:${port}/` })
    expect([status, headers.location]).toEqual([302, '/there'])
  })

  test('are checked again', async () => {
    const inner = recorder()
    const inside = await serve(inner.listener)
    const outside = await serve((_, response) =>
      response.writeHead(302, { location: `http://localhost:${inside}/` }).end(),
    )
    const through = outgoing({ allowed: [`127.0.0.1:${outside}`] })
    const asked = ask(through, { url: `http://127.0.0.1:${outside}/`, redirects: 3 })
    await expect(asked).rejects.toMatchObject({ reason: 'refused' })
    expect(inner.seen).toEqual([])
  })

  test('carry no credentials to another server', async () => {
    const other = recorder()
    const there = await serve(other.listener)
    const own: IncomingMessage[] = []
    const here = await serve((request, response) => {
      own.push(request)
      const location = request.url === '/' ? '/next' : `http://127.0.0.1:${there}/`
      response.writeHead(307, { location }).end()
    })
    const { url, body } = await ask(outgoing({ local: true }), {
      url: `http://127.0.0.1:${here}/`,
      headers,
      redirects: 3,
    })
    expect([url, await text(body)]).toEqual([`http://127.0.0.1:${there}/`, 'hello'])
    expect(own.map((one) => one.headers.authorization)).toEqual(['Bearer secret', 'Bearer secret'])
    const [got] = other.seen
    expect(got?.headers).toMatchObject({ accept: 'text/plain' })
    expect(got?.headers).not.toHaveProperty('authorization')
    expect(got?.headers).not.toHaveProperty('x-token')
  })

  test('turn a POST into a GET, or repeat it, as their status says', async () => {
    const seen: string[] = []
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      seen.push(`${request.method} ${request.url} ${await text(request)}`)
      const status = request.url === '/303' ? 303 : 308
      if (request.url === '/end') response.end()
      else response.writeHead(status, { location: '/end' }).end()
    }
    const port = await serve((request, response) => void answer(request, response))
    for (const path of ['303', '308']) {
      const url = `http://127.0.0.1:${port}/${path}`
      await ask(outgoing({ local: true }), { url, method: 'POST', body: 'x', redirects: 1 })
    }
    expect(seen).toEqual(['POST /303 x', 'GET /end ', 'POST /308 x', 'POST /end x'])
  })

  test.each([307, 308])('pass no body on to another server: %i', async (status) => {
    const other = recorder()
    const there = await serve(other.listener)
    const here = await serve((_, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${there}/` }).end(),
    )
    const asked = ask(outgoing({ local: true }), {
      url: `http://127.0.0.1:${here}/`,
      method: 'POST',
      body: 'secret=x',
      redirects: 3,
    })
    await expect(asked).rejects.toMatchObject({ reason: 'redirected' })
    expect(other.seen).toEqual([])
  })

  test('end at the limit', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: '/' }).end())
    const asked = ask(outgoing({ local: true }), { url: `http://127.0.0.1:${port}/`, redirects: 2 })
    await expect(asked).rejects.toMatchObject({ reason: 'redirected' })
  })

  test('do not lead to other kinds of URLs', async () => {
    const port = await serve((_, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    )
    const asked = ask(outgoing({ local: true }), { url: `http://127.0.0.1:${port}/`, redirects: 2 })
    await expect(asked).rejects.toMatchObject({ message: 'Only http and https are allowed' })
  })
})

describe('limits', () => {
  test('of size: by what the server says, and by what it sends', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/said') response.setHeader('content-length', 20_000)
      response.write('x'.repeat(10_000))
      response.end('x'.repeat(10_000))
    })
    const said = ask(outgoing({ local: true }), { url: `http://127.0.0.1:${port}/said` })
    await expect(said).rejects.toMatchObject({ reason: 'large' })
    const { body } = await ask(outgoing({ local: true }), { url: `http://127.0.0.1:${port}/sent` })
    await expect(text(body)).rejects.toMatchObject({ reason: 'large' })
  })

  test('of time: for the head, and for the body', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/body') response.write('x')
    })
    const through = outgoing({ local: true })
    const url = `http://127.0.0.1:${port}`
    await expect(ask(through, { url, timeoutMs: 100 })).rejects.toMatchObject({ reason: 'slow' })
    const { body } = await ask(through, { url: `${url}/body`, timeoutMs: 3_000 })
    await expect(text(body)).rejects.toMatchObject({ reason: 'slow' })
  })

  test('a server that is not there or breaks off', async () => {
    const gone = createServer()
    const nowhere = await listen(gone)
    gone.close()
    const through = outgoing({ local: true })
    await expect(ask(through, { url: `http://127.0.0.1:${nowhere}/` })).rejects.toMatchObject({
      reason: 'unreachable',
      message: `127.0.0.1:${nowhere} cannot be reached: it refuses connections`,
    })
    const port = await serve((_, response) => {
      response.write('x', () => response.destroy())
    })
    const { body } = await ask(through, { url: `http://127.0.0.1:${port}/` })
    await expect(text(body)).rejects.toMatchObject({ reason: 'unreachable' })
  })
})

describe('the proxy for other programs', () => {
  async function proxyTo(port: number, options: Options & { readonly maxBytes?: number } = { local: true }) {
    const proxy = await OutgoingProxy.open(outgoing(options), {
      to: { host: '127.0.0.1', port },
      maxBytes: options.maxBytes ?? 0,
      signal: new AbortController().signal,
    })
    onTestFinished(() => proxy[Symbol.asyncDispose]())
    return proxy
  }

  /** Speaks to a proxy, and returns all that it answers. */
  async function say(
    proxy: OutgoingProxy,
    words: string,
    secret = decodeURIComponent(new URL(proxy.url).password),
  ) {
    const { port } = new URL(proxy.url)
    const socket: Socket = connect(Number(port), '127.0.0.1')
    const credentials = Buffer.from(`forgelet:${secret}`).toString('base64')
    socket.write(words.replace('AUTH', `proxy-authorization: Basic ${credentials}`).replaceAll('\n', '\r\n'))
    return text(socket)
  }

  test('passes on plain requests and tunnels to one server', async () => {
    const { seen, listener } = recorder()
    const port = await serve(listener)
    const proxy = await proxyTo(port)
    const plain = `GET http://127.0.0.1:${port}/x HTTP/1.1\nhost: a\nconnection: close\nx-own: 1\nAUTH\n\n`
    expect(await say(proxy, plain)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*hello/)
    const tunnel = `CONNECT 127.0.0.1:${port} HTTP/1.1\nAUTH\n\nGET /y HTTP/1.0\n\n`
    expect(await say(proxy, tunnel)).toMatch(/^HTTP\/1.1 200 [^]*hello$/)
    expect(seen.map(({ url }) => url)).toEqual(['/x', '/y'])
    expect(seen[0]?.headers).toMatchObject({ 'x-own': '1' })
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization')
    expect(proxy.failure).toBeUndefined()
  })

  test('is for whoever knows its secret', async () => {
    const { seen, listener } = recorder()
    const port = await serve(listener)
    const proxy = await proxyTo(port)
    const plain = `GET http://127.0.0.1:${port}/ HTTP/1.1\nhost: a\nconnection: close\nAUTH\n\n`
    expect(await say(proxy, plain, 'wrong')).toMatch(/^HTTP\/1.1 407 /)
    expect(await say(proxy, plain.replace('AUTH\n', ''))).toMatch(/^HTTP\/1.1 407 /)
    expect(await say(proxy, `CONNECT 127.0.0.1:${port} HTTP/1.1\nAUTH\n\n`, 'wrong')).toMatch(
      /^HTTP\/1.1 407 /,
    )
    expect(seen).toEqual([])
  })

  test('leads nowhere else', async () => {
    const { seen, listener } = recorder()
    const other = await serve(listener)
    const port = await serve(listener)
    for (const words of [
      `CONNECT 127.0.0.1:${other} HTTP/1.1\nAUTH\n\n`,
      `CONNECT localhost:${port} HTTP/1.1\nAUTH\n\n`,
      `CONNECT nonsense HTTP/1.1\nAUTH\n\n`,
      `GET http://127.0.0.1:${other}/ HTTP/1.1\nhost: a\nconnection: close\nAUTH\n\n`,
      `GET /etc/passwd HTTP/1.1\nhost: a\nconnection: close\nAUTH\n\n`,
    ]) {
      expect(await say(await proxyTo(port), words)).toMatch(/^HTTP\/1.1 502 /)
    }
    expect(seen).toEqual([])
  })

  test('checks addresses as other requests do', async () => {
    const { seen, listener } = recorder()
    const port = await serve(listener)
    const proxy = await proxyTo(port, {})
    expect(await say(proxy, `CONNECT 127.0.0.1:${port} HTTP/1.1\nAUTH\n\n`)).toMatch(/^HTTP\/1.1 502 /)
    expect(proxy.failure).toMatchObject({ reason: 'refused' })
    expect(seen).toEqual([])
  })

  test('ends what is too large', async () => {
    const port = await serve((_, response) => response.end('x'.repeat(100_000)))
    const proxy = await proxyTo(port, { local: true, maxBytes: 50_000 })
    const plain = `GET http://127.0.0.1:${port}/ HTTP/1.1\nhost: a\nconnection: close\nAUTH\n\n`
    await say(proxy, plain).catch(() => {})
    expect(proxy.failure).toMatchObject({ reason: 'large' })
  })
})
