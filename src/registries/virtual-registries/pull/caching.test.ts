import { describe, expect, test } from 'vitest'
import { always, digestOf } from '#test/fake-registry.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { own, Puller, registryPath, withVirtualRegistries } from '../test-support.ts'
import { accepted, age, closingRegistries, virtual } from './test-support.ts'

withVirtualRegistries({ local: true })
closingRegistries()

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code

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
    // HEAD finds out that a tag is another image, which GET gets.
    expect(source.questions.map(({ method }) => method)).toEqual(['GET', 'HEAD', 'HEAD', 'GET'])
  })

  test('is asked for each time where it is good for no time', async () => {
    const { source, pull } = await virtual(1, { cache_validity_hours: 0 })
    source.image('a', 'v1')
    for (let time = 0; time < 3; time += 1) await pull('a/manifests/v1')
    expect([source.asked(/manifests/), source.asked(/manifests/, 'HEAD')]).toEqual([1, 2])
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
    expect([source.asked(/manifests/), source.asked(/manifests/, 'HEAD')]).toEqual([1, 1])
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
    const counts = () => sources.map(({ questions }) => questions.length)
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
    if (down !== undefined) down.behave = always(500)
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
      // These are for the images of projects, too.
      (await fetch(`${own.url}/v2/`)).status,
      (await fetch(`${own.url}/jwt/auth`)).status,
    ]).toEqual([404, 401, 401])
    await own.root.put('/application/settings', { container_virtual_registries_enabled: true })
  })
})
