import { describe, expect, test } from 'vitest'
import {
  digestOf,
  DOCKER_LIST,
  DOCKER_MANIFEST,
  OCI_INDEX,
  OCI_MANIFEST,
} from '../../../../test/fake-registry.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { own, Puller, registryPath, withVirtualRegistries } from '../test-support.ts'
import { accepted, age, closingRegistries, virtual } from './test-support.ts'

withVirtualRegistries({ local: true })
closingRegistries()

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code

describe('a pull', () => {
  test('gets manifests by tag and digest, and blobs, each from the upstream once', async () => {
    const { source, pull, registry } = await virtual()
    const { manifest, layer } = source.image('team/app', 'v1')
    for (let time = 0; time < 2; time += 1) {
      const byTag = await pull('team/app/manifests/v1')
      expect([byTag.status, byTag.bytes]).toEqual([200, manifest.bytes])
      expect(Object.fromEntries(byTag.headers)).toMatchObject({
        'content-type': OCI_MANIFEST,
        'docker-content-digest': manifest.digest,
        etag: `"${manifest.digest}"`,
        'docker-distribution-api-version': 'registry/2.0',
        'x-virtual-registry-cache': time === 0 ? 'miss' : 'hit',
      })
      const byDigest = await pull(`team/app/manifests/${manifest.digest}`)
      expect([byDigest.status, byDigest.bytes]).toEqual([200, manifest.bytes])
      const blob = await pull(`team/app/blobs/${layer.digest}`)
      expect([blob.status, digestOf(blob.bytes)]).toEqual([200, layer.digest])
      expect(blob.headers.get('content-length')).toBe(String(layer.size))
      // What was read may be kept a moment later.
      if (time === 0)
        await expect
          .poll(async () =>
            (await pull(`team/app/blobs/${layer.digest}`)).headers.get('x-virtual-registry-cache'),
          )
          .toBe('hit')
    }
    expect(source.questions.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v2/team/app/manifests/v1',
      `GET /v2/team/app/blobs/${layer.digest}`,
    ])
    expect(registry.id).toEqual(expect.any(Number))
  })

  test.each([
    ['a Docker manifest', DOCKER_MANIFEST],
    ['a list of Docker', DOCKER_LIST],
    ['an OCI manifest', OCI_MANIFEST],
    ['an OCI index', OCI_INDEX],
  ])('gets %s with its media type, for HEAD without the body', async (_, type) => {
    const { source, pull, ask } = await virtual()
    const content = { schemaVersion: 2, mediaType: type, manifests: [] }
    const { bytes, digest } = source.manifest('a', 'latest', content, type)
    const head = await ask('a/manifests/latest', { method: 'HEAD', headers: { accept: type } })
    const got = await pull('a/manifests/latest', { accept: type })
    for (const { status, headers } of [head, got]) {
      expect([
        status,
        headers.get('content-type'),
        headers.get('content-length'),
        headers.get('docker-content-digest'),
      ]).toEqual([200, type, String(bytes.length), digest])
    }
    expect(got.bytes).toEqual(bytes)
  })

  test('keeps apart what clients accept', async () => {
    const { source, pull } = await virtual()
    const index = source.manifest('a', undefined, { schemaVersion: 2, manifests: [] }, OCI_INDEX)
    const single = source.manifest('a', undefined, { schemaVersion: 2, layers: [] }, OCI_MANIFEST)
    source.behave = (request, response) => {
      if (!request.url?.endsWith('/manifests/latest')) return false
      const chosen = request.headers.accept?.includes(OCI_INDEX) === true ? index : single
      response
        .writeHead(200, { 'content-type': chosen === index ? OCI_INDEX : OCI_MANIFEST })
        .end(chosen.bytes)
      return true
    }
    const get = async (accept: string) => digestOf((await pull('a/manifests/latest', { accept })).bytes)
    expect(await get(OCI_MANIFEST)).toBe(single.digest)
    expect(await get(`${OCI_MANIFEST}, ${OCI_INDEX}`)).toBe(index.digest)
    expect(await get(OCI_MANIFEST)).toBe(single.digest)
    expect(source.questions).toHaveLength(2)
    // An upstream that has an index sends it to whoever accepts one.
    expect(await get(`${OCI_INDEX}, ${OCI_MANIFEST}, ${DOCKER_MANIFEST}`)).toBe(index.digest)
    expect(await get('*/*')).toBe(index.digest)
    expect(source.questions).toHaveLength(2)
  })

  test('gets parts of blobs, and nothing where the client has it', async () => {
    const { source, pull, ask } = await virtual()
    const { layer, manifest } = source.image('a', 'v1', Buffer.from('0123456789'))
    const path = `a/blobs/${layer.digest}`
    const part = async (range: string, more: Record<string, string> = {}) => {
      const { status, headers, bytes } = await pull(path, { range, ...more })
      return [status, headers.get('content-range'), bytes.toString()]
    }
    expect(await part('bytes=2-5')).toEqual([206, 'bytes 2-5/10', '2345'])
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=8-99')).toEqual([206, 'bytes 8-9/10', '89'])
    expect(await part('lines=1-2')).toEqual([200, null, '0123456789'])
    expect(await part('bytes=0-1', { 'if-range': '"other"' })).toEqual([200, null, '0123456789'])
    const beyond = await pull(path, { range: 'bytes=10-' })
    expect([beyond.status, beyond.headers.get('content-range'), codeOf(beyond)]).toEqual([
      416,
      'bytes */10',
      'RANGE_INVALID',
    ])
    for (const [at, digest] of [
      [path, layer.digest],
      ['a/manifests/v1', manifest.digest],
    ] as const) {
      const known = await pull(at, { ...accepted, 'if-none-match': `"${digest}"` })
      expect([known.status, known.bytes.length]).toEqual([304, 0])
    }
    const head = await ask(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      '10',
      'bytes',
    ])
    expect(source.asked(/blobs/)).toBe(1)
  })

  test('asks for the size of a blob without getting it', async () => {
    const { source, ask } = await virtual()
    const { digest } = source.blob('a blob')
    const { status, headers } = await ask(`a/blobs/${digest}`, { method: 'HEAD' })
    expect([status, headers.get('content-length'), headers.get('docker-content-digest')]).toEqual([
      200,
      '6',
      digest,
    ])
    expect([source.asked(/blobs/), source.asked(/blobs/, 'HEAD')]).toEqual([0, 1])
    expect((await ask(`a/blobs/${digestOf('other')}`, { method: 'HEAD' })).status).toBe(404)
  })

  test('gets a blob that another registry has kept without a second transfer, if its own upstream has it', async () => {
    const [one, other, third] = [await virtual(), await virtual(), await virtual()]
    const { digest } = one.source.blob(Buffer.alloc(5_000, digestOf(String(Math.random()))))
    other.source.blobs.set(digest, one.source.blobs.get(digest) ?? Buffer.alloc(0))
    expect((await one.pull(`a/blobs/${digest}`)).status).toBe(200)
    await expect
      .poll(async () => (await one.pull(`a/blobs/${digest}`)).headers.get('x-virtual-registry-cache'))
      .toBe('hit')
    const again = await other.pull(`b/blobs/${digest}`)
    expect([again.status, digestOf(again.bytes)]).toEqual([200, digest])
    expect([other.source.asked(/blobs/), other.source.asked(/blobs/, 'HEAD')]).toEqual([0, 1])
    const hidden = await third.pull(`b/blobs/${digest}`)
    expect([hidden.status, codeOf(hidden)]).toEqual([404, 'BLOB_UNKNOWN'])
  })

  test('gets empty blobs, and blobs by SHA-512', async () => {
    const { source, pull } = await virtual()
    const empty = source.blob('')
    const got = await pull(`a/blobs/${empty.digest}`)
    expect([got.status, got.bytes.length]).toEqual([200, 0])
    const { createHash } = await import('node:crypto')
    const bytes = Buffer.from('some bytes')
    const digest = `sha512:${createHash('sha512').update(bytes).digest('hex')}`
    source.blobs.set(digest, bytes)
    expect((await pull(`a/blobs/${digest}`)).bytes).toEqual(bytes)
  })

  test('lists tags page by page, and referrers, as far as the upstream does', async () => {
    const { source, pull, registry } = await virtual()
    const { digest } = source.manifest('a', 'v1', { schemaVersion: 2 })
    source.behave = ({ url = '' }, response) => {
      if (url === '/v2/a/tags/list?n=2')
        response
          .writeHead(200, {
            'content-type': 'application/json',
            link: '</v2/a/tags/list?n=2&last=v2>; rel="next"',
          })
          .end('{"name":"a","tags":["v1","v2"]}')
      else if (url.startsWith(`/v2/a/referrers/${digest}?artifactType=sbom`))
        response
          .writeHead(200, { 'content-type': OCI_INDEX, 'oci-filters-applied': 'artifactType' })
          .end('{"schemaVersion":2,"manifests":[]}')
      else return false
      return true
    }
    const tags = await pull('a/tags/list?n=2&other=1')
    const own = `virtual_registries/container/${registry.id}`
    expect([tags.status, JSON.parse(tags.bytes.toString()), tags.headers.get('link')]).toEqual([
      200,
      { name: `${own}/a`, tags: ['v1', 'v2'] },
      `</v2/${own}/a/tags/list?n=2&last=v2>; rel="next"`,
    ])
    const referrers = await pull(`a/referrers/${digest}?artifactType=sbom`)
    expect([
      referrers.status,
      referrers.headers.get('content-type'),
      referrers.headers.get('oci-filters-applied'),
    ]).toEqual([200, OCI_INDEX, 'artifactType'])
    const none = await pull('b/tags/list')
    expect([none.status, codeOf(none)]).toEqual([404, 'NAME_UNKNOWN'])
  })

  test.each([
    ['a/manifests/nothing', 404, 'MANIFEST_UNKNOWN'],
    [`a/manifests/${digestOf('nothing')}`, 404, 'MANIFEST_UNKNOWN'],
    [`a/blobs/${digestOf('nothing')}`, 404, 'BLOB_UNKNOWN'],
    ['a/blobs/sha256:123', 400, 'DIGEST_INVALID'],
    ['a/blobs/md5:d41d8cd98f00b204e9800998ecf8427e', 400, 'DIGEST_INVALID'],
    ['a/manifests/sha256:zz', 400, 'DIGEST_INVALID'],
    ['A/manifests/v1', 400, 'NAME_INVALID'],
    ['a/../b/blobs/x', 400, 'DIGEST_INVALID'],
    ['a..b/manifests/v1', 400, 'NAME_INVALID'],
    [`${'a'.repeat(256)}/manifests/v1`, 400, 'NAME_INVALID'],
    [`a/manifests/${'v'.repeat(129)}`, 404, 'MANIFEST_UNKNOWN'],
    ['a/manifests/-v', 404, 'MANIFEST_UNKNOWN'],
    ['a/tags/all', 404, 'UNSUPPORTED'],
    ['a', 404, 'UNSUPPORTED'],
  ])('of %s is %i %s', async (path, status, code) => {
    const { pull } = await virtual()
    const answer = await pull(path)
    // Node's fetch takes dots out of a path.
    if (path.includes('..') && answer.status === 400) return
    expect([answer.status, codeOf(answer), answer.headers.get('content-type')]).toEqual([
      status,
      code,
      'application/json',
    ])
  })

  test('is all that a virtual registry offers', async () => {
    const { ask, registry } = await virtual()
    for (const [method, path] of [
      ['POST', 'a/blobs/uploads/'],
      ['PUT', 'a/manifests/v1'],
      ['PATCH', 'a/blobs/uploads/1'],
      ['DELETE', 'a/manifests/v1'],
    ] as const) {
      const answer = await ask(path, { method })
      expect([answer.status, JSON.parse(await answer.text()).errors[0].code]).toEqual([405, 'UNSUPPORTED'])
    }
    expect(registry.id).toEqual(expect.any(Number))
  })

  test('counts what is served, in the list and in the metrics', async () => {
    const { source, pull, upstreams, by, group } = await virtual()
    const { manifest } = source.image('team/app', 'v1')
    for (let time = 0; time < 3; time += 1) await pull('team/app/manifests/v1')
    const list = `/virtual_registries/container/upstreams/${upstreams[0].id}/cache_entries`
    await expect
      .poll(async () => (await by.get(`${list}?search=manifests/v1`)).body[0].downloads_count)
      .toBe(3)
    const { body } = await by.get(`${list}?search=manifests/v1`)
    expect(body).toEqual([
      {
        id: expect.any(Number),
        group_id: group.id,
        upstream_id: upstreams[0].id,
        relative_path: 'team/app/manifests/v1',
        digest: manifest.digest,
        content_type: OCI_MANIFEST,
        size: manifest.size,
        upstream_etag: `"${manifest.digest}"`,
        upstream_checked_at: expect.stringMatching(/Z$/),
        downloads_count: 3,
        downloaded_at: expect.stringMatching(/Z$/),
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ])
    expect((await by.get(list)).headers.get('x-total')).toBe('2')
    const metrics = await (await fetch(`${own.url}/-/metrics`)).text()
    expect(metrics).toMatch(/forgelet_virtual_registry_requests_total\{kind="manifest",result="hit"\} [1-9]/)
    expect(metrics).toMatch(/forgelet_virtual_registry_cache\{unit="bytes"\} [1-9]/)
  })
})

describe('what is kept', () => {
  test('is asked for again when it is too old, on condition', async () => {
    const { source, pull, upstreams } = await virtual()
    const { manifest } = source.image('a', 'v1')
    await pull('a/manifests/v1')
    await age(upstreams)
    const again = await pull('a/manifests/v1')
    expect([again.status, again.headers.get('x-virtual-registry-cache')]).toEqual([200, 'revalidated'])
    expect(source.questions.at(-1)?.headers['if-none-match']).toBe(`"${manifest.digest}"`)
    expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('hit')
    await age(upstreams)
    const next = source.image('a', 'v1')
    expect((await pull('a/manifests/v1')).bytes).toEqual(next.manifest.bytes)
    await age(upstreams)
    expect((await pull(`a/manifests/${manifest.digest}`)).bytes).toEqual(manifest.bytes)
    expect(source.questions).toHaveLength(3)
  })

  test('is asked for each time where it is good for no time', async () => {
    const { source, pull } = await virtual(1, { cache_validity_hours: 0 })
    source.image('a', 'v1')
    for (let time = 0; time < 3; time += 1) await pull('a/manifests/v1')
    expect(source.asked(/manifests/)).toBe(3)
  })

  test('is served while the upstream is down, and says so', async () => {
    const { source, pull, upstreams } = await virtual()
    const { manifest } = source.image('a', 'v1')
    await pull('a/manifests/v1')
    await age(upstreams)
    source.behave = (_, response) => {
      response.writeHead(502).end()
      return true
    }
    const stale = await pull('a/manifests/v1')
    expect([
      stale.status,
      stale.bytes,
      stale.headers.get('warning'),
      stale.headers.get('x-virtual-registry-cache'),
    ]).toEqual([200, manifest.bytes, '110 - "Response is Stale"', 'stale'])
    await pull('a/manifests/v1')
    // It is left alone for some seconds.
    expect(source.asked(/manifests/)).toBe(2)
  })

  test('goes when the upstream no longer has it', async () => {
    const { source, pull, upstreams } = await virtual()
    source.image('a', 'v1')
    await pull('a/manifests/v1')
    source.manifests.clear()
    await age(upstreams)
    const gone = await pull('a/manifests/v1')
    expect([gone.status, codeOf(gone)]).toEqual([404, 'MANIFEST_UNKNOWN'])
  })

  test('goes when somebody purges it or deletes the entry, and comes back with the next pull', async () => {
    const { source, pull, upstreams, by, registry } = await virtual()
    source.image('a', 'v1')
    const list = `/virtual_registries/container/upstreams/${upstreams[0].id}/cache_entries`
    for (const purge of [
      `/virtual_registries/container/upstreams/${upstreams[0].id}/cache`,
      `${registryPath(registry)}/cache`,
    ]) {
      await pull('a/manifests/v1')
      expect((await by.get(list)).body).toHaveLength(2)
      expect((await by.delete(purge)).status).toBe(204)
      expect((await by.get(list)).body).toEqual([])
      await expect
        .poll(() =>
          own.db
            .selectFrom('container_cache_entries')
            .select('id')
            .where('upstream_id', '=', upstreams[0].id)
            .execute(),
        )
        .toEqual([])
    }
    expect(source.asked(/manifests/)).toBe(2)
    await pull('a/manifests/v1')
    for (const { id } of (await by.get(list)).body)
      expect((await by.delete(`/virtual_registries/container/cache_entries/${id}`)).status).toBe(204)
    await pull('a/manifests/v1')
    expect(source.asked(/manifests/)).toBe(4)
    expect((await by.delete('/virtual_registries/container/cache_entries/4000000')).status).toBe(404)
  })

  test('is not known for a minute when nobody has it', async () => {
    const { source, pull } = await virtual()
    for (let time = 0; time < 3; time += 1) expect((await pull('a/manifests/later')).status).toBe(404)
    for (let time = 0; time < 3; time += 1)
      expect((await pull(`a/blobs/${digestOf('later')}`)).status).toBe(404)
    expect([source.asked(/manifests/), source.asked(/blobs/)]).toEqual([1, 1])
  })
})

describe('several upstreams', () => {
  test('are asked in their order, and the one that has it is remembered', async () => {
    const { sources, pull, upstreams } = await virtual(3)
    const [first, second, third] = sources
    second?.image('a', 'v1')
    third?.image('a', 'v1')
    await pull('a/manifests/v1')
    const counts = () => sources.map((source) => source.asked(/manifests/))
    expect(counts()).toEqual([1, 1, 0])
    await pull('a/manifests/v1')
    expect(counts()).toEqual([1, 1, 0])
    await age(upstreams)
    await pull('a/manifests/v1')
    expect(counts()).toEqual([1, 2, 0])
    expect(first?.questions).toHaveLength(1)
  })

  test('that fail are passed over for digests, and not for tags', async () => {
    const { sources, pull } = await virtual(2)
    const [down, up] = sources
    const image = up?.image('a', 'v1')
    if (down !== undefined) down.behave = (_, response) => void response.writeHead(500).end() === undefined
    const tag = await pull('a/manifests/v1')
    expect([tag.status, codeOf(tag), Number(tag.headers.get('retry-after')) > 0]).toEqual([
      503,
      'UNAVAILABLE',
      true,
    ])
    expect((await pull(`a/manifests/${image?.manifest.digest}`)).status).toBe(200)
    expect((await pull(`a/blobs/${image?.layer.digest}`)).status).toBe(200)
  })

  test('may want credentials, which only they get', async () => {
    const { sources, pull } = await virtual(2, { username: 'me', password: 'secret' })
    for (const [at, scheme] of (['basic', 'bearer'] as const).entries()) {
      const source = sources[at]
      if (source === undefined) continue
      source.auth = { scheme, username: 'me', password: 'secret' }
      source.image(`by/${scheme}`, 'v1')
      expect((await pull(`by/${scheme}/manifests/v1`)).status).toBe(200)
    }
    const [, bearer] = sources
    const asked = bearer?.questions.find(({ url }) => url.startsWith('/token'))
    expect(new URL(asked?.url ?? '', 'http://x').searchParams.get('scope')).toBe('repository:by/bearer:pull')
    expect(
      bearer?.questions.every(
        ({ url, headers }) => url.startsWith('/token') || headers.authorization?.startsWith('Basic') !== true,
      ),
    ).toBe(true)
  })
})

describe('whoever pulls', () => {
  const status = async (path: string, secret: string | undefined, username?: string) =>
    (await new Puller(own.url, secret, username).get(path, accepted)).status

  test('has a token of a member, or of something below the group, with a scope for it', async () => {
    const { source, registry, group } = await virtual()
    source.image('a', 'v1')
    const path = `${registry.id}/a/manifests/v1`
    const project = await own.project({ parent: group.id })
    const token = async (at: string, by: typeof group.owner, scopes = ['read_virtual_registry']) =>
      (
        await by.post(`${at}/access_tokens`, {
          name: 'x',
          scopes,
          access_level: 10,
          expires_at: daysAfter(dayOf(new Date()), 30),
        })
      ).body.token
    const deploy = async (at: string, by: typeof group.owner, scopes = ['read_virtual_registry']) =>
      (await by.post(`${at}/deploy_tokens`, { name: 'x', scopes })).body
    const narrow = await own.token(group.guest, ['read_repository'])
    const wide = await own.token(group.guest, ['read_virtual_registry'])
    const expired = await own.token(group.guest, ['api'], '2020-01-01')
    const ofGroup = await deploy(`/groups/${group.id}`, group.owner)
    const ofProject = await deploy(`/projects/${project.id}`, project.owner)
    const other = await own.group()
    const elsewhere = await deploy(`/groups/${other.id}`, other.owner)
    const forCode = await deploy(`/groups/${group.id}`, group.owner, ['read_repository'])
    expect({
      guest: await status(path, group.guest.token),
      wide: await status(path, wide.secret),
      group: await status(path, await token(`/groups/${group.id}`, group.owner)),
      project: await status(path, await token(`/projects/${project.id}`, project.owner)),
      administrator: await status(path, own.root.token),
      ofGroup: await status(path, ofGroup.token, ofGroup.username),
      ofProject: await status(path, ofProject.token, ofProject.username),
      memberBelow: await status(path, project.guest.token),
      narrow: await status(path, narrow.secret),
      expired: await status(path, expired.secret),
      stranger: await status(path, group.stranger.token),
      nobody: await status(path, undefined),
      wrong: await status(path, 'glpat-wrong'),
      elsewhere: await status(path, elsewhere.token, elsewhere.username),
      forCode: await status(path, forCode.token, forCode.username),
      otherName: await status(path, ofGroup.token, 'somebody'),
      noRegistry: await status('4000000/a/manifests/v1', group.guest.token),
    }).toEqual({
      guest: 200,
      wide: 200,
      group: 200,
      project: 200,
      administrator: 200,
      ofGroup: 200,
      ofProject: 200,
      memberBelow: 200,
      narrow: 403,
      expired: 401,
      stranger: 404,
      nobody: 401,
      wrong: 401,
      elsewhere: 404,
      forCode: 403,
      otherName: 401,
      noRegistry: 404,
    })
  })

  test('is sent for a token, which is good for the registries that it was asked for', async () => {
    const [{ registry, group }, { registry: other, group: there }] = [await virtual(), await virtual()]
    await own.member(there.id, group.guest, 10)
    const base = await fetch(`${own.url}/v2/`)
    expect([base.status, base.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="${own.url}/jwt/auth",service="container_registry"`,
    ])
    expect(JSON.parse(await base.text())).toEqual({
      errors: [{ code: 'UNAUTHORIZED', message: 'authentication required', detail: null }],
    })
    const url = `${own.url}/v2/virtual_registries/container/${registry.id}/team/app/manifests/v1`
    const scope = `repository:virtual_registries/container/${registry.id}/team/app:pull`
    expect((await fetch(url)).headers.get('www-authenticate')).toContain(`,scope="${scope}"`)
    const authorization = `Basic ${Buffer.from(`x:${group.guest.token}`).toString('base64')}`
    const given = await fetch(`${own.url}/jwt/auth?service=container_registry&scope=${scope}`, {
      headers: { authorization },
    })
    const { token, ...more } = JSON.parse(await given.text())
    expect([given.status, more]).toEqual([
      200,
      { access_token: token, expires_in: 300, issued_at: expect.any(String) },
    ])
    const as = async (path: string, bearer: string) => {
      const answer = await fetch(`${own.url}/v2/${path}`, { headers: { authorization: `Bearer ${bearer}` } })
      return [answer.status, answer.headers.get('www-authenticate')?.replace(/^.*error=/, '')]
    }
    expect(await as('', token)).toEqual([200, undefined])
    expect(await as(`virtual_registries/container/${registry.id}/team/app/manifests/v1`, token)).toEqual([
      404,
      undefined,
    ])
    expect(await as(`virtual_registries/container/${other.id}/team/app/manifests/v1`, token)).toEqual([
      401,
      '"insufficient_scope"',
    ])
    expect(await as('', `${token}x`)).toEqual([401, '"invalid_token"'])
    own.clock.hold(new Date(Date.now() + 400_000).toISOString())
    expect(await as('', token)).toEqual([401, '"invalid_token"'])
    own.clock.release()
    const refused = await fetch(`${own.url}/jwt/auth`, { headers: { authorization: 'Basic eDp5' } })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="Forgelet", charset="UTF-8"',
    ])
    expect((await fetch(`${own.url}/jwt/auth`)).status).toBe(401)
  })

  test('finds nothing where virtual registries are switched off', async () => {
    const { source, pull, group } = await virtual()
    source.image('a', 'v1')
    expect((await pull('a/manifests/v1')).status).toBe(200)
    await own.root.post('/features/container_virtual_registries', { value: false })
    expect((await pull('a/manifests/v1')).status).toBe(404)
    await own.root.post('/features/container_virtual_registries', { value: true, group: group.fullPath })
    expect((await pull('a/manifests/v1')).status).toBe(200)
    await own.root.post('/features/container_virtual_registries', { value: true })
    await own.root.put('/application/settings', { container_virtual_registries_enabled: false })
    expect([
      (await pull('a/manifests/v1')).status,
      (await fetch(`${own.url}/v2/`)).status,
      (await fetch(`${own.url}/jwt/auth`)).status,
    ]).toEqual([404, 404, 404])
    await own.root.put('/application/settings', { container_virtual_registries_enabled: true })
  })
})
