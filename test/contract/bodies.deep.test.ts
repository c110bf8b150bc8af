import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { RawConnection } from '#test/raw.ts'
import { transportApps } from '#test/transport-app.ts'
import { type Place, unique, w } from '#test/world.ts'

const MiB = 1024 * 1024
const json = { 'content-type': 'application/json' }
let place: Place
beforeAll(async () => {
  place = await w.project()
})

const appWith = transportApps()

const token = () => ({ 'private-token': place.maintainer.token })
const labels = () => `/api/v4/projects/${place.id}/labels`

describe('credentials', () => {
  test('in the head are checked before anything of the body has come', async () => {
    const sent = { ...json, 'content-length': 50_000 }
    for (const [headers, path] of [
      [{ ...sent, 'private-token': 'wrong' }, labels()],
      [{ ...sent, authorization: 'Bearer wrong' }, labels()],
      [sent, `${labels()}?private_token=wrong`],
    ] as const) {
      const connection = await RawConnection.open(w.url)
      connection.head(`POST ${path}`, headers)
      expect(await connection.status()).toBe(401)
      connection.end()
    }
  })

  test('in the head are checked for their scope, too', async () => {
    const { secret } = await w.token(place.maintainer, ['read_api'])
    const connection = await RawConnection.open(w.url)
    connection.head(`POST ${labels()}`, { ...json, 'content-length': 50_000, 'private-token': secret })
    expect(await connection.status()).toBe(403)
    connection.end()
  })

  test('may be in the body, of which 64 KiB are looked at', async () => {
    const { token: private_token } = place.maintainer
    const send = (size: number) =>
      w.anonymous.post(`/projects/${place.id}/issues`, {
        private_token,
        title: unique('x'),
        description: 'x'.repeat(size),
      })
    expect((await send(60_000)).status).toBe(201)
    expect(await send(70_000)).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
    const form = new URLSearchParams({ private_token, name: unique('x'), color: 'red' })
    expect((await w.anonymous.send('POST', `/projects/${place.id}/labels`, { form })).status).toBe(201)
  })

  test('in the head win over those in the body', async () => {
    const answer = await place.maintainer.post(`/projects/${place.id}/labels`, {
      name: unique('x'),
      color: 'red',
      private_token: 'wrong',
    })
    expect(answer.status).toBe(201)
  })

  test('come before what is wrong with the body, also when there are none', async () => {
    const unreadable = { form: '{', headers: json }
    const unknown = { form: 'a: b', headers: { 'content-type': 'text/yaml' } }
    const large = { form: JSON.stringify({ name: 'x'.repeat(MiB) }), headers: json }
    for (const [sending, status] of [
      [unreadable, 400],
      [unknown, 415],
      [large, 413],
    ] as const) {
      const path = `/projects/${place.id}/labels`
      expect((await w.anonymous.send('POST', path, sending)).status).toBe(401)
      expect((await place.maintainer.send('POST', path, sending)).status).toBe(status)
    }
  })

  test('cost one statement, also when they are in the body', async () => {
    const { token: private_token } = place.maintainer
    const count = async (work: () => Promise<unknown>) => (await w.statements(work)).length
    const label = () => ({ name: unique('x'), color: 'red' })
    const path = `/projects/${place.id}/labels`
    const inHead = await count(() => place.maintainer.post(path, label()))
    expect(await count(() => w.anonymous.post(path, { ...label(), private_token }))).toBe(inHead)
  })

  test('sudo may be in the body', async () => {
    const { body } = await w.root.post(`/projects/${place.id}/issues`, {
      title: 'x',
      sudo: place.developer.id,
    })
    expect(body.author.id).toBe(place.developer.id)
  })
})

describe('limits', () => {
  test('every legal text gets in, however it is written', async () => {
    const { body: issue } = await place.maintainer.post(`/projects/${place.id}/issues`, { title: 'x' })
    const path = `/projects/${place.id}/issues/${issue.iid}/notes`
    const emoji = '💥'.repeat(1_000_000)
    const escaped = `{"body":"${'\\ud83d\\udca5'.repeat(1_000_000)}"}`
    const written = [
      { form: escaped, headers: json },
      {
        form: `body=${'%F0%9F%92%A5'.repeat(1_000_000)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]
    for (const sending of written) {
      const { status, body } = await place.maintainer.send('POST', path, sending)
      expect([status, body.body.length]).toEqual([201, emoji.length])
    }
  })

  test('a GET carries 64 KiB of parameters', async () => {
    for (const [size, status] of [
      [60_000, 200],
      [70_000, 413],
    ] as const) {
      const connection = await RawConnection.open(w.url)
      const body = JSON.stringify({ nonsense: 'x'.repeat(size) })
      connection.head(`GET ${labels()}`, { ...json, ...token(), 'content-length': body.length })
      connection.write(body)
      expect(await connection.status()).toBe(status)
      connection.end()
    }
  })

  test('hold where the length is not said before', async () => {
    const connection = await RawConnection.open(w.url)
    connection.head(`POST ${labels()}`, { ...json, ...token(), 'transfer-encoding': 'chunked' })
    for (let sent = 0; sent < 100; sent += 1) connection.write(`400\r\n${' '.repeat(1_024)}\r\n`)
    expect(await connection.status()).toBe(413)
    connection.end()
  })

  test('all bodies in memory together have one; then 503, and later all is well again', async () => {
    const { url, app } = await appWith({ memory: 60_000 })
    const body = JSON.stringify({ name: unique('x'), color: 'red', description: 'x'.repeat(40_000) }).padEnd(
      41_000,
    )
    const half = await RawConnection.open(url)
    half.head(`POST ${labels()}`, { ...json, ...token(), 'content-length': body.length })
    half.write(body.slice(0, 40_000))
    const taken = () => app.bodyMemory.used
    while (taken() !== 40_000) await pause(5)
    const client = new Client(url, token())
    const send = () => client.send('POST', `/projects/${place.id}/labels`, { form: body, headers: json })
    const refused = await send()
    expect([refused.status, refused.body]).toEqual([
      503,
      { message: '503 Service Unavailable - too many requests are being read' },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    // Whoever gives up gives back what they took.
    half.end()
    while (taken() !== 0) await pause(5)
    expect((await send()).status).toBe(400)
    while (taken() !== 0) await pause(5)
  })
})

describe('a body that is too large', () => {
  const size = 20 * MiB
  const lines: [string, Record<string, string>][] = [
    ['on a connection that is kept', {}],
    ['on a connection that ends', { connection: 'close' }],
  ]
  test.each(lines)(
    '%s is refused with an answer that arrives, although all is sent before it is read',
    async (_, headers) => {
      const connection = await RawConnection.open(w.url)
      connection.socket.pause()
      connection.head(`POST ${labels()}`, { ...json, ...token(), ...headers, 'content-length': size })
      const body = Buffer.alloc(MiB, ' ')
      for (let sent = 0; sent < size; sent += MiB) {
        if (!connection.socket.write(body)) await once(connection.socket, 'drain')
      }
      connection.socket.resume()
      expect(await connection.status()).toBe(413)
      if ('connection' in headers) {
        await connection.closed()
      } else {
        connection.head('GET /api/v4/version', token())
        while (!connection.received.includes('"version"')) await once(connection.socket, 'data')
        connection.end()
      }
    },
  )

  test('is not read for ever', async () => {
    const { url } = await appWith({ rest: { bytes: 4 * MiB, milliseconds: 60_000 } })
    const connection = await RawConnection.open(url)
    connection.head(`POST ${labels()}`, { ...json, ...token(), 'content-length': 10_000 * MiB })
    let sent = 0
    const body = Buffer.alloc(MiB, ' ')
    while (!connection.socket.destroyed && connection.socket.writable) {
      connection.socket.write(body)
      sent += 1
      await pause(2)
    }
    expect(connection.received).toMatch(/^HTTP\/1.1 413/)
    expect(sent).toBeLessThan(10_000)
  })

  test('is refused before it is sent by clients that ask first', async () => {
    const connection = await RawConnection.open(w.url)
    connection.head(`POST ${labels()}`, {
      ...json,
      ...token(),
      expect: '100-continue',
      'content-length': size,
    })
    expect(await connection.status()).toBe(413)
    expect(connection.received).not.toContain('100 Continue')
    connection.end()
    const other = await RawConnection.open(w.url)
    const body = JSON.stringify({ name: unique('x'), color: 'red' })
    other.head(`POST ${labels()}`, {
      ...json,
      ...token(),
      expect: '100-continue',
      'content-length': body.length,
    })
    while (!other.received.includes('100 Continue')) await once(other.socket, 'data')
    other.write(body)
    expect(await other.status()).toBe(201)
    other.end()
  })

  const python = spawnSync('python3', ['--version']).status === 0
  test.skipIf(!python)("is refused with an answer that Python's clients get", async () => {
    const script = `
import http.client, sys, urllib.error, urllib.parse, urllib.request
url, path, token = sys.argv[1:]
body = b' ' * (20 * 1024 * 1024)
headers = {'PRIVATE-TOKEN': token, 'Content-Type': 'application/json'}
connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=120)
connection.request('POST', path, body, headers)
print(connection.getresponse().status)
try:
    urllib.request.urlopen(urllib.request.Request(url + path, body, headers), timeout=120)
except urllib.error.HTTPError as error:
    print(error.code)
`
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      script,
      w.url,
      labels(),
      place.maintainer.token,
    ])
    expect(stdout.trim().split('\n')).toEqual(['413', '413'])
  })
})

describe('content types', () => {
  test('without one, and without a body, there are no parameters', async () => {
    const path = `${labels()}?name=${unique('x')}&color=red`
    const heads: Record<string, string>[] = [
      {},
      { 'content-length': '0' },
      { 'content-type': '' },
      { 'content-type': ' ', 'content-length': '0' },
      { 'transfer-encoding': 'chunked' },
      { 'content-type': '', 'transfer-encoding': 'chunked' },
    ]
    for (const [index, headers] of heads.entries()) {
      const connection = await RawConnection.open(w.url)
      connection.head(`POST ${path.replace('&', `${index}&`)}`, { ...token(), ...headers })
      if ('transfer-encoding' in headers) connection.write('0\r\n\r\n')
      expect([headers, await connection.status()]).toEqual([headers, 201])
      connection.end()
    }
  })

  test('JSON without one is read', async () => {
    for (const [headers, given, status] of [
      [{}, { name: unique('x'), color: 'red' }, 201],
      [{ 'content-type': '' }, { name: unique('x'), color: 'red' }, 201],
      [{}, { name: unique('x') }, 400],
    ] as const) {
      const body = `\n ${JSON.stringify(given)}`
      const connection = await RawConnection.open(w.url)
      connection.head(`POST ${labels()}`, { ...token(), ...headers, 'content-length': body.length })
      connection.write(body)
      expect([given, await connection.status()]).toEqual([given, status])
      connection.end()
    }
  })

  test('a body without one is not thrown away silently', async () => {
    for (const [headers, body, status] of [
      [{}, 'name=y', 415],
      [{ 'content-type': '' }, 'name=y', 415],
      [{}, '["x"]', 415],
      [{}, '{"name', 400],
    ] as const) {
      const connection = await RawConnection.open(w.url)
      const head = { ...token(), ...headers, 'content-length': body.length }
      connection.head(`POST ${labels()}?name=x&color=red`, head)
      connection.write(body)
      expect([body, await connection.status()]).toEqual([body, status])
      connection.end()
    }
  })

  test('a compressed body is refused as such', async () => {
    const send = (encoding: string) =>
      place.maintainer.send('POST', `/projects/${place.id}/labels`, {
        form: JSON.stringify({ name: unique('label'), color: 'red' }),
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      })
    expect(await send('gzip')).toMatchObject({
      status: 415,
      body: { error: "The requested content-encoding 'gzip' is not supported: send the body as it is." },
    })
    for (const encoding of ['identity', '', ' Identity , identity'])
      expect((await send(encoding)).status).toBe(201)
  })

  test('names from prototypes are unknown like any other', async () => {
    for (const type of ['constructor', '__proto__', 'text/constructor']) {
      const answer = await place.maintainer.send('POST', `/projects/${place.id}/labels`, {
        form: 'x',
        headers: { 'content-type': type },
      })
      expect(answer.status).toBe(415)
    }
  })
})

describe('multipart', () => {
  const send = (body: string) =>
    place.maintainer.send('POST', `/projects/${place.id}/labels`, {
      form: body,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
  const part = (head: string, value: string) =>
    `--b\r\nContent-Disposition: form-data${head}\r\n\r\n${value}\r\n`

  test('a part without a name is 400', async () => {
    for (const nameless of ['', '; filename="x"', '; name=""']) {
      const { status, body } = await send(`${part(nameless, 'x')}${part('; name="color"', 'red')}--b--\r\n`)
      expect([status, body]).toEqual([400, { error: 'A part of the multipart body has no name.' }])
    }
  })

  test('too many files are 413, a body that ends too early 400', async () => {
    const files = Array.from({ length: 11 }, (_, index) =>
      part(`; name="f${index}"; filename="x"`, 'x'),
    ).join('')
    expect((await send(`${files}--b--\r\n`)).status).toBe(413)
    expect((await send(part('; name="f"; filename="x"', 'x').slice(0, -2))).status).toBe(400)
  })
})
