import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { RawConnection } from '#test/raw.ts'
import { unique, w } from '#test/world.ts'

describe('paths', () => {
  test('an encoded path stays one segment, in both letter cases, with encoded and plain dots', async () => {
    const group = await w.group({ path: unique('with.dot') })
    const subgroup = await w.group({ parent: group.id })
    const { fullPath, owner } = await w.project({ parent: subgroup.id, path: unique('a.b') })
    const upper = fullPath.replaceAll('/', '%2F')
    for (const path of [
      upper,
      upper.replaceAll('%2F', '%2f'),
      upper.replaceAll('.', '%2E'),
      upper.replaceAll('.', '%2e'),
    ]) {
      expect((await owner.get(`/projects/${path}/labels`)).status).toBe(200)
    }
    expect((await owner.get(`/projects/${upper.toUpperCase()}/labels`)).status).toBe(200)
  })

  test('a decoded path matches nothing', async () => {
    const { fullPath, owner } = await w.project()
    const answer = await owner.get(`/projects/${fullPath}/labels`)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ error: '404 Not Found' })
  })

  test('long paths work', async () => {
    let parent: number | undefined
    for (let depth = 0; depth < 6; depth += 1) {
      parent = (await w.group({ path: unique('g'.repeat(200)), ...(parent === undefined ? {} : { parent }) }))
        .id
    }
    const { encoded, owner } = await w.project({ parent: parent ?? 0 })
    expect(encoded.length).toBeGreaterThan(1200)
    expect((await owner.get(`/projects/${encoded}/labels`)).status).toBe(200)
  })

  test('several slashes count as one, unless they are part of a name', async () => {
    const { id, encoded, owner } = await w.project()
    expect((await owner.get(`/projects//${id}///labels`)).status).toBe(200)
    expect((await owner.get(`/projects/${encoded.replace('%2F', '%2F%2F')}/labels`)).status).toBe(404)
  })

  test('the suffix .json and a slash at the end are accepted', async () => {
    const { id, encoded, owner } = await w.project()
    expect((await owner.get(`/projects/${id}/labels.json`)).status).toBe(200)
    expect((await owner.get(`/projects/${id}/labels.json?page=1`)).status).toBe(200)
    expect((await owner.get(`/projects/${encoded}/labels/`)).status).toBe(200)
  })

  test('.json is a suffix after a fixed word or a number, with every method', async () => {
    const { id, maintainer } = await w.project()
    const made = await maintainer.post(`/projects/${id}/labels.json`, { name: 'x', color: 'red' })
    expect(made.status).toBe(201)
    expect((await maintainer.get(`/projects/${id}.json`)).body.id).toBe(id)
    expect((await maintainer.get(`/projects/${id}/labels/${made.body.id}.json`)).body.name).toBe('x')
    expect((await maintainer.head(`/projects/${id}.json?statistics=true`)).status).toBe(200)
    expect((await w.root.get(`/users/${maintainer.id}.json`)).body.id).toBe(maintainer.id)
    expect((await maintainer.patch(`/projects/${id}/labels.json`)).status).toBe(405)
    expect((await maintainer.get('/nonsense.json')).status).toBe(404)
  })

  test('.json is part of a name anywhere else', async () => {
    const { id, groupId, maintainer } = await w.project()
    const labels = `/projects/${id}/labels`
    for (const name of ['data', 'data.json']) await maintainer.post(labels, { name, color: 'red' })
    expect((await maintainer.get(`${labels}/data.json`)).body.name).toBe('data.json')
    expect((await maintainer.delete(`${labels}/data.json`)).status).toBe(204)
    expect((await maintainer.get(labels)).body.map(({ name }: { name: string }) => name)).toEqual(['data'])
    const { encoded, owner } = await w.project({ parent: groupId, path: 'app.json' })
    expect((await owner.get(`/projects/${encoded}`)).body.path).toBe('app.json')
    expect((await owner.get(`/projects/${encoded}.json`)).status).toBe(404)
  })

  test('the suffix of an encoded path is part of the name', async () => {
    const { encoded, fullPath, owner } = await w.project({ path: unique('data.json') })
    expect(fullPath).toContain('.json')
    expect((await owner.get(`/projects/${encoded}/labels`)).status).toBe(200)
  })

  test('a former path leads on with the whole query', async () => {
    const { id, encoded, owner } = await w.project()
    await owner.put(`/projects/${id}`, { path: unique('moved') })
    const { status, headers } = await owner.get(`/projects/${encoded}/labels?search=a?b&page=1`)
    expect(status).toBe(301)
    expect(headers.get('location')).toBe(`${w.url}/api/v4/projects/${id}/labels?search=a?b&page=1`)
  })

  test('broken percent-encoding is 400', async () => {
    expect((await w.root.get('/projects/%zz/labels')).status).toBe(400)
    expect((await w.root.get('/projects/%00/labels')).status).toBe(400)
  })
})

describe('methods', () => {
  test('an unknown path is 404', async () => {
    const answer = await w.root.get('/nonsense')
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ error: '404 Not Found' })
  })

  test('a known path with another method is 405 and says which there are', async () => {
    const answer = await w.root.patch('/projects/1/labels')
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual([
      'DELETE',
      'GET',
      'HEAD',
      'POST',
      'PUT',
    ])
    expect(answer.body).toEqual({ error: '405 Not Allowed' })
  })

  test('HEAD works wherever GET does, with the same headers', async () => {
    const { id, owner } = await w.project()
    const [get, head] = [
      await owner.get(`/projects/${id}/labels`),
      await owner.head(`/projects/${id}/labels`),
    ]
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'etag', 'x-total', 'link', 'content-length']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    expect((await w.anonymous.head(`/projects/${id}/labels`)).status).toBe(404)
  })

  test('pages of other sites may read every answer and its headers; nobody else is told so', async () => {
    const asked = w.anonymous.with({ origin: 'https://example.com' })
    for (const path of ['/version', '/projects/0', '/nothing']) {
      const { headers } = await asked.get(path)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-expose-headers')).toContain('X-Next-Page')
      const other = await w.anonymous.get(path)
      expect(other.headers.has('access-control-allow-origin')).toBe(false)
      expect(other.headers.get('vary')).toContain('Origin')
    }
  })

  test('a CORS preflight is answered without credentials', async () => {
    const answer = await w.anonymous.send('OPTIONS', '/projects/1/labels', {
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'private-token',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST')
    expect(answer.headers.get('access-control-allow-headers')).toBe('private-token')
  })
})

describe('hosts', () => {
  const ask = async (host: string | undefined, path = `/api/v4/projects/${publicId}`) => {
    const connection = await RawConnection.open(w.url)
    const line = host === undefined ? 'HTTP/1.0\r\n' : `HTTP/1.1\r\nHost: ${host}\r\n`
    connection.write(`GET ${path} ${line}Connection: close\r\n\r\n`)
    await connection.closed()
    return connection.received
  }
  let publicId: number
  beforeAll(async () => {
    publicId = (await w.project({ visibility: 'public' })).id
  })

  test.each(['[', 'a b', 'a/b', 'a@b', 'x:99999', 'x:y', '[::1', '1.2.3.999', 'a"b', 'é', 'a\\b'])(
    '%s is 400, on pages too',
    async (host) => {
      for (const path of [undefined, '/users/sign_in', '/nonsense', '/-/health']) {
        expect(await ask(host, path)).toMatch(/^HTTP\/1.1 400 /)
      }
    },
  )

  test('are used as they are sent; without one it is the address of the server', async () => {
    expect(await ask('[::1]:8080')).toContain('"web_url":"http://[::1]:8080/')
    expect(await ask('forge.example.com')).toContain('"web_url":"http://forge.example.com/')
    expect(await ask('')).toContain(`"web_url":"${w.url}/`)
    expect(await ask(undefined)).toContain(`"web_url":"${w.url}/`)
    expect(await ask(undefined, '/-/health')).toContain('200 OK')
  })
})

describe('headers', () => {
  test('every answer has its ids, time, caching and safety', async () => {
    const { id, owner } = await w.project()
    for (const answer of [await owner.get(`/projects/${id}/labels`), await w.anonymous.get('/nonsense')]) {
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
      expect(Number(answer.headers.get('x-runtime'))).toBeGreaterThan(0)
      expect(answer.headers.get('cache-control')).toBe('max-age=0, private, must-revalidate')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('x-frame-options')).toBe('SAMEORIGIN')
      expect(answer.headers.get('vary')).toContain('Origin')
    }
  })

  test("a client's request id is kept when it is harmless", async () => {
    const answer = await w.anonymous.with({ 'x-request-id': 'mine-1' }).get('/nonsense')
    expect(answer.headers.get('x-request-id')).toBe('mine-1')
    expect(JSON.parse(answer.headers.get('x-gitlab-meta') ?? '')).toEqual({
      correlation_id: 'mine-1',
      version: '1',
    })
    const other = await w.anonymous.with({ 'x-request-id': 'a b"c' }).get('/nonsense')
    expect(other.headers.get('x-request-id')).not.toBe('a b"c')
  })

  test('304 for what the client has, by a weak ETag', async () => {
    const { id, owner } = await w.project()
    const first = await owner.get(`/projects/${id}/labels`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[0-9a-f]+"$/)
    const again = await owner.get(`/projects/${id}/labels`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
    await owner.post(`/projects/${id}/labels`, { name: 'new', color: 'red' })
    expect((await owner.get(`/projects/${id}/labels`, { headers: { 'if-none-match': etag } })).status).toBe(
      200,
    )
  })

  test('412 for what was changed since', async () => {
    const { id, owner } = await w.project()
    await owner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    const early = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
    const refused = await owner.delete(`/projects/${id}/labels/x`, undefined, early)
    expect(refused.status).toBe(412)
    expect(refused.body).toEqual({ message: '412 Precondition Failed' })
    const late = { headers: { 'if-unmodified-since': new Date(Date.now() + 60_000).toUTCString() } }
    expect((await owner.delete(`/projects/${id}/labels/x`, undefined, late)).status).toBe(204)
  })

  test('an over-long query is 414', async () => {
    const answer = await w.root.get(`/projects/1/labels?search=${'x'.repeat(10_000)}`)
    expect(answer.status).toBe(414)
    expect((await w.anonymous.get(`/nonsense?${'x'.repeat(10_000)}`)).status).toBe(414)
  })

  test('a request head beyond 64 KB gets an answer, not a hang', async () => {
    const { port } = new URL(w.url)
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`GET /api/v4/projects HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(70_000)}\r\n\r\n`)
      })
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1.1 431/)
  })

  test('so does a path that is longer than a head may be, as the description says', async () => {
    const connection = await RawConnection.open(w.url)
    connection.head(`GET /api/v4/projects/${'x'.repeat(66_000)}/labels/bug`)
    expect(await connection.status()).toBe(431)
    expect(connection.received).toContain('"message":"Exceeded maximum allowed HTTP header size"')
    connection.end()
    // A shorter one that no route takes is 414.
    expect((await w.root.get(`/projects/${'x'.repeat(60_000)}`)).status).toBe(414)
    const { paths, components } = (await w.root.get('/openapi.json')).body
    const described = paths['/projects/{id}/labels/{label_id}'].get.responses['431']
    expect(described).toEqual({ $ref: '#/components/responses/HeadTooLarge' })
    expect(components.responses.HeadTooLarge.content).toHaveProperty('application/json')
  })
})
