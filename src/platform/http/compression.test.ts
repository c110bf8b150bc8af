import { randomBytes } from 'node:crypto'
import { type IncomingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Actor, unique, w } from '#test/world.ts'
import { signedIn } from '#test/visitor.ts'

interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** An answer as it was sent: `fetch` would have decompressed it. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const asked = request(`${w.url}${path}`, { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const { statusCode: status = 0, headers: sent } = answer
        resolve({ status, headers: sent, bytes: Buffer.concat(parts) })
      })
    })
    asked.on('error', reject).end()
  })
}

const encodings = [
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
] as const

let reader: Actor
let labels: string
let token: { 'private-token': string }

beforeAll(async () => {
  const p = await w.project()
  reader = p.reporter
  token = { 'private-token': reader.token }
  labels = `/api/v4/projects/${p.id}/labels`
  for (const name of Array.from({ length: 10 }, () => unique('label'))) {
    await p.owner.post(`/projects/${p.id}/labels`, { name, color: 'red' })
  }
})

/** The headers that depend on the body. */
const about = ({ headers }: Sent) => ({
  encoding: headers['content-encoding'],
  length: headers['content-length'],
  type: headers['content-type'],
  etag: headers['etag'],
  vary: headers['vary'],
})

describe('a long answer', () => {
  test.each(encodings)('comes in %s to whoever accepts that', async (encoding, decompress) => {
    const plain = await ask(labels, token)
    expect(about(plain)).toMatchObject({ encoding: undefined, vary: 'Origin, accept-encoding' })
    const packed = await ask(labels, { ...token, 'accept-encoding': encoding })
    expect(about(packed)).toEqual({ ...about(plain), encoding, length: String(packed.bytes.length) })
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2)
    expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true)
  })

  test.each([
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['*', 'gzip'],
    ['deflate', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['nonsense; ;;,', undefined],
  ])('to Accept-Encoding: %s has the encoding %s', async (accept, encoding) => {
    const { status, headers } = await ask(labels, { ...token, 'accept-encoding': accept })
    expect([status, headers['content-encoding']]).toEqual([200, encoding])
  })

  test.each(['', 'gzip', 'zstd'])('has the same entity tag in every encoding (%s)', async (encoding) => {
    const { headers } = await ask(labels, token)
    const known = { ...token, 'accept-encoding': encoding, 'if-none-match': headers.etag ?? '' }
    for (const method of ['GET', 'HEAD']) {
      const again = await ask(labels, known, method)
      expect([again.status, again.bytes.length]).toEqual([304, 0])
      const { etag, vary } = headers
      expect(about(again)).toEqual({ encoding: undefined, length: undefined, type: undefined, etag, vary })
    }
  })

  test.each(['', 'br'])('is the same to HEAD (%s)', async (encoding) => {
    const accept = { ...token, 'accept-encoding': encoding }
    const [got, head] = [await ask(labels, accept), await ask(labels, accept, 'HEAD')]
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(about(head)).toEqual(about(got))
  })
})

test('a short answer comes as it is', async () => {
  const { headers, bytes } = await ask('/api/v4/version', { ...token, 'accept-encoding': 'gzip' })
  expect(bytes.length).toBeLessThan(1024)
  expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, 'Origin, accept-encoding'])
})

describe('the description of the API', () => {
  test.each([
    ['/-/docs', 300_000],
    ['/-/docs/schemas', 100_000],
    ['/api/v4/openapi.json', 250_000],
    ['/-/docs.css', 10_000],
  ])('%s is small, whole and known by its entity tag', async (path, most) => {
    const plain = await ask(path)
    for (const [encoding, decompress] of encodings) {
      const accept = { 'accept-encoding': encoding }
      const packed = await ask(path, accept)
      expect(packed.bytes.length).toBeLessThan(most)
      expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true)
      expect(packed.headers['etag']).toBe(plain.headers['etag'])
      const head = await ask(path, accept, 'HEAD')
      expect(about(head)).toEqual(about(packed))
    }
    const known = { 'if-none-match': plain.headers['etag'] ?? '', 'accept-encoding': 'gzip' }
    expect((await ask(path, known)).status).toBe(304)
  })
})

test('an answer that is a stream is compressed piece by piece', async () => {
  const p = await w.project()
  const { body: issue } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'Long' })
  const notes = `/projects/${p.id}/issues/${issue.iid}/notes`
  for (const letter of ['a', 'b', 'c']) await p.owner.post(notes, { body: letter.repeat(600_000) })
  const owner = { 'private-token': p.owner.token }
  const plain = await ask(`/api/v4${notes}`, owner)
  expect(about(plain)).toMatchObject({ etag: undefined, length: undefined, encoding: undefined })
  for (const [encoding, decompress] of encodings) {
    const accept = { ...owner, 'accept-encoding': encoding }
    const packed = await ask(`/api/v4${notes}`, accept)
    expect(about(packed)).toEqual({ ...about(plain), encoding })
    expect(packed.bytes.length).toBeLessThan(50_000)
    expect(decompress(packed.bytes).equals(plain.bytes)).toBe(true)
    expect(about(await ask(`/api/v4${notes}`, accept, 'HEAD'))).toEqual(about(packed))
  }
})

describe('an answer that comes as it is, whatever the client accepts', () => {
  const accept = { 'accept-encoding': 'gzip, br, zstd' }

  test('a page for a browser session, and what the API says to one', async () => {
    const { visitor } = await signedIn(w)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const path of ['/-/user_settings/personal_access_tokens', labels]) {
      const { headers, bytes } = await ask(path, { ...accept, ...token, cookie })
      expect(bytes.length).toBeGreaterThan(1024)
      expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, 'Origin'])
    }
  })

  test('a stored file, whose entity tag and ranges are those of its bytes', async () => {
    const p = await w.project({ visibility: 'public' })
    const form = new FormData()
    const side = 64
    const picture = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    form.set('avatar', new Blob([await picture.png().toBuffer()]), 'avatar.png')
    const { body } = await p.owner.send('PUT', `/projects/${p.id}`, { form })
    const path = new URL(body.avatar_url).pathname
    const whole = await ask(path, accept)
    expect([whole.headers['content-encoding'], whole.headers['vary']]).toEqual([undefined, 'Origin'])
    expect(whole.headers['content-length']).toBe(String(whole.bytes.length))
    const part = await ask(path, { ...accept, range: 'bytes=1-3' })
    expect([part.status, part.bytes.toString()]).toEqual([206, 'PNG'])
  })
})
