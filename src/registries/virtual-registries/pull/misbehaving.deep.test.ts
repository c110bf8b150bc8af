import { createHash, randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { always, digestOf, type FakeRegistry, OCI_MANIFEST } from '#test/fake-registry.ts'
import { own, registryPath, upstreamPath, withVirtualRegistries } from '../test-support.ts'
import { age, closingRegistries, fake, virtual } from './test-support.ts'

withVirtualRegistries({ local: true })
closingRegistries()

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code
/** What is being kept of a blob of the image `a`. Other files have blobs of their own in the same folder. */
const spooled = (digest: string) => () => {
  const hash = createHash('sha256').update(`a/blobs/${digest}`).digest('hex')
  try {
    const names = readdirSync(join(own.running.services.config.data, 'registry-spool'))
    return names.filter((name) => name.includes(hash))
  } catch {
    return []
  }
}
const keptOf = (upstreams: { id: number }[]) =>
  own.db
    .selectFrom('container_cache_entries')
    .select(['relative_path', 'digest'])
    .where(
      'upstream_id',
      'in',
      upstreams.map(({ id }) => id),
    )
    .execute()
const isBlob = (url = '') => url.includes('/blobs/')

/** Sends a part of a blob, and then lets go of the connection. */
function breakAfter(source: FakeRegistry, bytes: number, times: number) {
  let left = times
  source.behave = (request, response) => {
    if (request.method !== 'GET' || !isBlob(request.url) || left === 0) return false
    left -= 1
    const blob = source.blobs.get(request.url?.split('/').at(-1) ?? '') ?? Buffer.alloc(0)
    const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': blob.length - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${blob.length - 1}/${blob.length}` }),
    })
    response.write(blob.subarray(from, from + bytes), () => setTimeout(() => response.socket?.end(), 150))
    return true
  }
}

describe('an upstream that misbehaves', () => {
  test('and lies about a blob: nobody gets all of it, and nothing is kept', async () => {
    const { source, pull, ask, upstreams } = await virtual()
    const right = randomBytes(300_000)
    const digest = digestOf(right)
    source.blobs.set(digest, randomBytes(300_000))
    await expect(pull(`a/blobs/${digest}`)).rejects.toThrow('terminated')
    const part = await ask(`a/blobs/${digest}`, { headers: { range: 'bytes=0-9' } })
    expect(part.status).toBe(502)
    expect(await keptOf(upstreams)).toEqual([])
    await expect.poll(spooled(digest)).toEqual([])
    source.blobs.set(digest, right)
    // Whoever asks while the wrong bytes are still being put away hears of them.
    await expect.poll(async () => digestOf((await pull(`a/blobs/${digest}`)).bytes)).toBe(digest)
  })

  test('and lies about a manifest, or sends something else: it is refused', async () => {
    const { source, pull, upstreams } = await virtual()
    const { manifest } = source.image('a', 'v1')
    const wrong = Buffer.from('{"schemaVersion":2,"evil":true}')
    const answers: readonly [string, Record<string, string>, Buffer][] = [
      ['v1', { 'content-type': OCI_MANIFEST, 'docker-content-digest': manifest.digest }, wrong],
      [manifest.digest, { 'content-type': OCI_MANIFEST }, wrong],
      ['v1', { 'content-type': 'text/html' }, Buffer.from('<html>Sign in</html>')],
      ['v1', { 'content-type': OCI_MANIFEST }, Buffer.from('[]')],
    ]
    for (const [reference, headers, bytes] of answers) {
      source.behave = always(200, headers, bytes)
      const answer = await pull(`a/manifests/${reference}`)
      expect([answer.status, codeOf(answer)]).toEqual([502, 'DIGEST_INVALID'])
    }
    source.behave = always(200, { 'content-type': OCI_MANIFEST }, Buffer.alloc(5 * 1024 * 1024, ' '))
    expect((await pull('a/manifests/v1')).status).toBe(503)
    expect(await keptOf(upstreams)).toEqual([])
  })

  test('and breaks off: the transfer goes on where it broke', async () => {
    const { source, pull } = await virtual()
    const { digest } = source.blob(randomBytes(900_000))
    breakAfter(source, 200_000, 3)
    expect(digestOf((await pull(`a/blobs/${digest}`)).bytes)).toBe(digest)
    const ranges = source.questions.map(({ headers }) => headers.range)
    expect(ranges).toHaveLength(4)
    expect(ranges[0]).toBeUndefined()
    expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range ?? ''))).toBe(true)
    await expect.poll(spooled(digest)).toEqual([])
  })

  test('and does not know ranges: the rest of a whole answer is taken', async () => {
    const { source, pull } = await virtual()
    const blob = randomBytes(500_000)
    const { digest } = source.blob(blob)
    let first = true
    source.behave = (_, response) => {
      response.writeHead(200, { 'content-length': blob.length })
      if (first)
        response.write(blob.subarray(0, 100_000), () => setTimeout(() => response.socket?.end(), 150))
      else response.end(blob)
      first = false
      return true
    }
    expect((await pull(`a/blobs/${digest}`)).bytes).toEqual(blob)
  })

  test('and never sends the end: the client hears of it, and nothing is left', async () => {
    const { source, pull, upstreams } = await virtual()
    const { digest } = source.blob(randomBytes(50_000))
    breakAfter(source, 0, 1_000)
    const answer = await pull(`a/blobs/${digest}`)
    expect([answer.status, codeOf(answer), answer.headers.get('docker-content-digest')]).toEqual([
      503,
      'UNAVAILABLE',
      null,
    ])
    await expect.poll(spooled(digest)).toEqual([])
    expect(await keptOf(upstreams)).toEqual([])
  }, 180_000)

  test('and redirects to a store: without the credentials, and with ranges', async () => {
    const { source, pull } = await virtual(1, { username: 'me', password: 'secret' })
    const store = await fake()
    const blob = randomBytes(400_000)
    const { digest } = store.blob(blob)
    breakAfter(store, 100_000, 1)
    source.auth = { scheme: 'bearer', username: 'me', password: 'secret' }
    source.behave = (request, response) => {
      if (!isBlob(request.url) || request.headers.authorization === undefined) return false
      return always(307, { location: `${store.url}${request.url}` })(request, response)
    }
    expect((await pull(`a/blobs/${digest}`)).bytes).toEqual(blob)
    expect(store.questions.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined])
    expect(store.questions[1]?.headers.range).toMatch(/^bytes=[1-9]/)
  })

  test('and limits requests: it is left alone for as long as it says', async () => {
    const { source, pull, upstreams } = await virtual()
    source.image('a', 'v1')
    await pull('a/manifests/v1')
    await age(upstreams)
    source.behave = always(429, { 'retry-after': '120' })
    expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('stale')
    const other = await pull('a/manifests/v2')
    expect([other.status, codeOf(other)]).toEqual([429, 'TOOMANYREQUESTS'])
    expect(Number(other.headers.get('retry-after'))).toBeGreaterThan(100)
    expect(source.questions).toHaveLength(2)
  })

  test('and is down: 503 where nothing is kept', async () => {
    const { source, pull } = await virtual()
    await source[Symbol.asyncDispose]().catch(() => {})
    const answer = await pull('a/manifests/v1')
    expect([answer.status, codeOf(answer)]).toEqual([503, 'UNAVAILABLE'])
  })

  test('and is slow: bytes are passed on as they come', async () => {
    const { source, ask } = await virtual()
    const blob = randomBytes(200_000)
    const { digest } = source.blob(blob)
    const rest = Promise.withResolvers<void>()
    source.behave = (_, response) => {
      response.writeHead(200, { 'content-length': blob.length }).write(blob.subarray(0, 100_000))
      void rest.promise.then(() => response.end(blob.subarray(100_000)))
      return true
    }
    const answer = await ask(`a/blobs/${digest}`)
    const reader = answer.body?.getReader()
    let got = 0
    while (got < 90_000) got += (await reader?.read())?.value?.length ?? 0
    rest.resolve()
    for (;;) {
      const next = await reader?.read()
      if (next === undefined || next.done) break
      got += next.value.length
    }
    expect(got).toBe(blob.length)
  })
})

describe('many who want one blob', () => {
  test('cause one transfer, and each gets all of it', async () => {
    const { source, pull } = await virtual()
    const { digest } = source.blob(randomBytes(600_000))
    const { manifest } = source.image('a', 'v1')
    // So that all have a token.
    await pull('a/manifests/none')
    source.questions.length = 0
    const all = await Promise.all(Array.from({ length: 50 }, () => pull(`a/blobs/${digest}`)))
    expect(all.map(({ status, bytes }) => [status, digestOf(bytes)])).toEqual(all.map(() => [200, digest]))
    expect(source.asked(/blobs/)).toBe(1)
    const manifests = await Promise.all(Array.from({ length: 50 }, () => pull('a/manifests/v1')))
    expect(new Set(manifests.map(({ bytes }) => digestOf(bytes)))).toEqual(new Set([manifest.digest]))
    expect(source.asked(/manifests/)).toBe(1)
  })

  test('do not mind one of them who leaves', async () => {
    const { source, ask, pull } = await virtual()
    const blob = randomBytes(1_000_000)
    const { digest } = source.blob(blob)
    const rest = Promise.withResolvers<void>()
    source.behave = (_, response) => {
      response.writeHead(200, { 'content-length': blob.length }).write(blob.subarray(0, 500_000))
      void rest.promise.then(() => response.end(blob.subarray(500_000)))
      return true
    }
    const leaving = new AbortController()
    const left = await ask(`a/blobs/${digest}`, { signal: leaving.signal })
    leaving.abort()
    await left.arrayBuffer().catch(() => {})
    const staying = pull(`a/blobs/${digest}`)
    rest.resolve()
    expect((await staying).bytes).toEqual(blob)
    expect(source.asked(/blobs/)).toBe(1)
  })
})

describe('the test of a connection', () => {
  test.each([
    [200, { success: true }],
    [204, { success: true }],
    [404, { success: true }],
    [401, { success: false, result: 'Error: 401 - Unauthorized' }],
    [403, { success: false, result: 'Error: 403 - Forbidden' }],
    [500, { success: false, result: 'Error: 5XX - Server Error' }],
    [503, { success: false, result: 'Error: 5XX - Server Error' }],
  ])('tells what %i means', async (status, result) => {
    const { group, by, source, upstreams } = await virtual()
    source.behave = always(status)
    const fresh = await by.post(`/groups/${group.id}/-/virtual_registries/container/upstreams/test`, {
      url: source.url,
    })
    const known = await by.post(`${upstreamPath(upstreams[0])}/test`)
    expect([fresh.status, fresh.body, known.status, known.body]).toEqual([200, result, 200, result])
    expect(source.questions.map(({ method, url }) => `${method} ${url}`)).toEqual(
      Array.from({ length: 2 }, () => 'HEAD /v2/library/alpine/manifests/latest'),
    )
  })

  test('asks for what is kept, with a token, and sends no stored password elsewhere', async () => {
    const { by, source, upstreams, pull, registry } = await virtual(1, { username: 'me', password: 'secret' })
    source.auth = { scheme: 'bearer', username: 'me', password: 'secret' }
    source.image('team/app', 'v1')
    await pull('team/app/manifests/v1')
    const path = `${upstreamPath(upstreams[0])}/test`
    expect((await by.post(path)).body).toEqual({ success: true })
    expect(source.questions.at(-1)?.url).toMatch(/^\/v2\/team\/app\/manifests\//)
    const wrong = { username: 'me', password: 'wrong' }
    expect((await by.post(path, wrong)).body).toEqual({ success: false, result: 'Error: 401 - Unauthorized' })
    const other = await fake()
    other.auth = { scheme: 'basic', username: 'me', password: 'secret' }
    expect((await by.post(path, { url: other.url })).body.success).toBe(false)
    expect(other.questions.map(({ headers }) => headers.authorization)).toEqual([undefined])
    expect((await by.post(path, { url: other.url, username: 'me', password: 'secret' })).body).toEqual({
      success: true,
    })
    expect(registryPath(registry)).toContain('registries')
  })

  test('says that nobody answers', async () => {
    const { by, source, upstreams } = await virtual()
    await source[Symbol.asyncDispose]().catch(() => {})
    expect((await by.post(`${upstreamPath(upstreams[0])}/test`)).body).toEqual({
      success: false,
      result: 'Error: Connection timeout',
    })
  })
})

describe('requests to upstreams', () => {
  test('go where this server may send any, also when it is redirected, or when a name leads elsewhere later', async () => {
    const { source, pull, by, upstreams } = await virtual()
    const inside = await fake()
    const { digest } = inside.blob(randomBytes(1_000))
    inside.image('a', 'v1')
    const host = new URL(source.url).host
    await own.root.put('/application/settings', {
      allow_local_requests_from_web_hooks_and_services: false,
      outbound_local_requests_whitelist: [host],
    })
    source.behave = (request, response) =>
      always(307, { location: `${inside.url}${request.url}` })(request, response)
    expect((await pull('a/manifests/v1')).status).toBe(502)
    expect((await pull(`a/blobs/${digest}`)).status).toBe(502)
    source.behave = always(401, { 'www-authenticate': `Bearer realm="${inside.url}/token"` })
    expect((await pull('a/manifests/v2')).status).toBe(502)
    expect((await by.post(`${upstreamPath(upstreams[0])}/test`)).body.success).toBe(false)
    expect(inside.questions).toEqual([])
    // What was allowed when it was made is checked again at each request.
    await own.root.put('/application/settings', { outbound_local_requests_whitelist: [] })
    source.behave = () => false
    source.questions.length = 0
    expect((await pull('a/manifests/v3')).status).toBe(502)
    expect(source.questions).toEqual([])
    await own.root.put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
  })
})
