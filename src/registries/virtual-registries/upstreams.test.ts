import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { rotateKeys } from '#platform/key-ring/key-ring.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { unique } from '#test/world.ts'
import { openCredentials } from './credentials.ts'
import {
  associationPath,
  aUrl,
  makeRegistry,
  makeUpstream,
  ofGroup,
  orderOf,
  own,
  registryPath,
  upstreamPath,
  withUpstreams,
  withVirtualRegistries,
} from './test-support.ts'

withVirtualRegistries()

const ALLOWED_BY = '(administrators can allow them with the setting outbound_local_requests_whitelist)'

const stored = (id: number) =>
  own.db
    .selectFrom('container_upstreams')
    .select(['username', 'password', 'credentials_digest'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const passwordOf = async (id: number) =>
  (await openCredentials(own.running.services, await stored(id)))?.password

describe('upstreams', () => {
  test('are made, listed, shown, changed and deleted, and no answer has the password', async () => {
    const { group, by, registry } = await withUpstreams(0)
    const url = aUrl()
    const { status, body } = await by.post(`${registryPath(registry)}/upstreams`, {
      url: `${url}/`,
      name: 'Hub',
      description: 'of all',
      username: 'me',
      password: 'secret-of-the-hub',
    })
    const { registry_upstream, ...upstream } = body
    expect([status, upstream]).toEqual([
      201,
      {
        id: expect.any(Number),
        group_id: group.id,
        url,
        name: 'Hub',
        description: 'of all',
        cache_validity_hours: 24,
        username: 'me',
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ])
    expect(registry_upstream).toEqual({ id: expect.any(Number), registry_id: registry.id, position: 1 })
    const seen = [
      await group.guest.get(ofGroup(group, 'upstreams')),
      await group.guest.get(`${registryPath(registry)}/upstreams`),
      await group.guest.get(upstreamPath(upstream)),
      await by.patch(upstreamPath(upstream), { cache_validity_hours: 1, name: 'Other' }),
    ]
    expect(seen.map((answer) => answer.body)).toEqual([
      [upstream],
      [body],
      { ...upstream, registry_upstreams: [registry_upstream] },
      {
        ...upstream,
        cache_validity_hours: 1,
        name: 'Other',
        updated_at: expect.any(String),
        registry_upstreams: [registry_upstream],
      },
    ])
    expect(seen.map(({ text }) => text).join()).not.toContain('secret-of-the-hub')
    expect((await by.delete(upstreamPath(upstream))).status).toBe(204)
    expect((await by.get(upstreamPath(upstream))).status).toBe(404)
    expect((await by.get(registryPath(registry))).body.registry_upstreams).toEqual([])
  })

  test('are found by parts of their names', async () => {
    const { group, by, registry } = await withUpstreams(0)
    for (const name of ['Docker Hub', 'Quay mirror']) await makeUpstream(by, registry, { name })
    const names = async (text: string) =>
      (await by.get(ofGroup(group, `upstreams?upstream_name=${encodeURIComponent(text)}`))).body.map(
        ({ name }: { name: string }) => name,
      )
    expect(await names('hub')).toEqual(['Docker Hub'])
    expect(await names('mirror QUAY')).toEqual(['Quay mirror'])
    expect(await names('%')).toEqual([])
    const page = await by.get(ofGroup(group, 'upstreams?per_page=1'))
    expect([page.body.length, page.headers.get('x-total'), page.headers.get('x-next-page')]).toEqual([
      1,
      '2',
      '2',
    ])
  })

  test.each([
    ['registry.example.com', 'must be a valid http or https URL'],
    ['ftp://registry.example.com', 'must be a valid http or https URL'],
    ['https://me:secret@registry.example.com', 'must not hold credentials: use username and password'],
    ['https://registry.example.com?x=1', 'must have no query and no fragment'],
    ['https://1234.dkr.ecr.eu-west-1.amazonaws.com', 'Cloud provider registries are unsupported.'],
    ['https://TEAM.azurecr.io', 'Cloud provider registries are unsupported.'],
    ['https://gcr.io', 'Cloud provider registries are unsupported.'],
    ['https://eu.gcr.io./x', 'Cloud provider registries are unsupported.'],
    ['https://europe-docker.pkg.dev/p', 'Cloud provider registries are unsupported.'],
    ['http://127.0.0.1:5000', `is blocked: Requests to the local network are not allowed ${ALLOWED_BY}`],
    ['http://2130706433', `is blocked: Requests to the local network are not allowed ${ALLOWED_BY}`],
    ['http://0177.0.0.1', `is blocked: Requests to the local network are not allowed ${ALLOWED_BY}`],
    ['http://[::ffff:10.0.0.1]', `is blocked: Requests to the local network are not allowed ${ALLOWED_BY}`],
    ['http://169.254.169.254', `is blocked: Requests to the local network are not allowed ${ALLOWED_BY}`],
    ['http://localhost:5000', `is blocked: Requests to the local network are not allowed ${ALLOWED_BY}`],
    [
      'https://9.9.9.9:25',
      `is blocked: Only the ports 80, 443 and those from 1024 are allowed ${ALLOWED_BY}`,
    ],
    [`https://9.9.9.9/${'ü'.repeat(100)}`, 'is too long (maximum is 255 characters)'],
  ])('are not at %s', async (url, text) => {
    const { group, by, registry, upstreams } = await withUpstreams(1)
    const refusal = { message: { url: [text] } }
    const answers = [
      await by.post(`${registryPath(registry)}/upstreams`, { url, name: 'x' }),
      await by.patch(upstreamPath(upstreams[0]), { url }),
      await by.post(ofGroup(group, 'upstreams/test'), { url }),
      await by.post(`${upstreamPath(upstreams[0])}/test`, { url }),
    ]
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [400, refusal]))
  })

  test('of one URL in a group differ in their credentials', async () => {
    const { group, by, registry } = await withUpstreams(0)
    const other = await makeRegistry(by, group)
    const url = aUrl()
    const create = async (more: object, into = registry) => {
      const { status, body } = await by.post(`${registryPath(into)}/upstreams`, { url, name: 'x', ...more })
      return status === 201 ? 201 : [status, body.message]
    }
    const taken = [400, { group: ['already has an upstream with the same credentials'] }]
    const me = { username: 'me', password: 'one' }
    expect(await create({})).toBe(201)
    expect(await create({}, other)).toEqual(taken)
    expect(await create({ url: `${url}/`, username: '', password: null })).toEqual(taken)
    expect(await create(me)).toBe(201)
    expect(await create(me, other)).toEqual(taken)
    const { id } = await makeUpstream(by, registry, me)
    const { status, body } = await by.patch(upstreamPath({ id }), { url, ...me })
    expect([status, body.message]).toEqual(taken)
    expect(await create({ ...me, password: 'two' })).toBe(201)
    const { group: elsewhere, by: them, registry: theirs } = await withUpstreams(0)
    expect(elsewhere.id).not.toBe(group.id)
    expect((await them.post(`${registryPath(theirs)}/upstreams`, { url, name: 'x', ...me })).status).toBe(201)
    const at = Array.from({ length: 10 }, () => create({ url: `${url}/race` }, other))
    expect((await Promise.all(at)).filter((one) => one === 201)).toHaveLength(1)
  })

  test('have both username and password, or neither', async () => {
    const { by, registry, upstreams } = await withUpstreams(1)
    const error = 'username, password provide all or none of parameters'
    for (const some of [{ username: 'me' }, { password: 'x' }]) {
      expect(
        (await by.post(`${registryPath(registry)}/upstreams`, { url: aUrl(), name: 'x', ...some })).body
          .error,
      ).toBe(error)
      expect((await by.patch(upstreamPath(upstreams[0]), some)).body.error).toBe(error)
      expect((await by.post(`${upstreamPath(upstreams[0])}/test`, some)).body.error).toBe(error)
    }
    expect((await by.patch(upstreamPath(upstreams[0]), { username: 'me', password: '' })).body).toEqual({
      message: { password: ["can't be blank"] },
    })
    expect((await by.patch(upstreamPath(upstreams[0]), {})).body.error).toContain('at least one parameter')
  })

  test('forget their credentials when they get another URL without new ones', async () => {
    const { by, registry } = await withUpstreams(0)
    const upstream = await makeUpstream(by, registry, { username: 'me', password: 'one' })
    expect((await by.patch(upstreamPath(upstream), { name: 'x' })).body.username).toBe('me')
    expect(await passwordOf(upstream.id)).toBe('one')
    expect((await by.patch(upstreamPath(upstream), { url: aUrl() })).body.username).toBeNull()
    expect(await passwordOf(upstream.id)).toBeUndefined()
    await by.patch(upstreamPath(upstream), { url: aUrl(), username: 'you', password: 'two' })
    expect(await passwordOf(upstream.id)).toBe('two')
    expect(
      (await by.patch(upstreamPath(upstream), { username: null, password: null })).body.username,
    ).toBeNull()
  })

  test('keep their passwords encrypted, with keys that can be rotated', async () => {
    const { by, registry } = await withUpstreams(0)
    const { id } = await makeUpstream(by, registry, { username: 'me', password: 'hunter2' })
    const before = await stored(id)
    expect(before.password?.toString('latin1')).not.toContain('hunter2')
    const { db, secrets } = own.running.services
    const source = { db, secrets, clock: systemClock, random: systemRandomness }
    for (let time = 0; time < 3; time += 1) expect(await rotateKeys(source)).toBeGreaterThan(0)
    const after = await stored(id)
    expect(after.password).not.toEqual(before.password)
    expect(after.credentials_digest).toEqual(before.credentials_digest)
    expect(await passwordOf(id)).toBe('hunter2')
    const { rows } = await sql<{ name: string }>`
      select name from secrets where name like 'key of the ring %' order by name`.execute(own.db)
    expect(rows).toHaveLength(2)
    expect(
      (
        await by.post(`${registryPath(registry)}/upstreams`, {
          url: aUrl(),
          name: 'x',
          username: 'a',
          password: 'b',
        })
      ).status,
    ).toBe(201)
  })
})

describe('the order of upstreams', () => {
  test('has no gaps, and a position beyond the last means the last', async () => {
    const { by, registry, upstreams } = await withUpstreams(4)
    const [a, b, c, d] = upstreams
    const { body } = await by.get(`${registryPath(registry)}/upstreams`)
    const associationOf = (upstream: { id: number }) =>
      body.find((one: { id: number }) => one.id === upstream.id).registry_upstream
    const move = (upstream: { id: number }, position: number) =>
      by.patch(associationPath(associationOf(upstream)), { position })
    expect((await move(d, 2)).body).toEqual({
      id: associationOf(d).id,
      registry_id: registry.id,
      upstream_id: d.id,
      position: 2,
    })
    expect(await orderOf(by, registry)).toEqual([
      [a.id, 1],
      [d.id, 2],
      [b.id, 3],
      [c.id, 4],
    ])
    expect((await move(a, 20)).body.position).toBe(4)
    expect(await orderOf(by, registry)).toEqual([
      [d.id, 1],
      [b.id, 2],
      [c.id, 3],
      [a.id, 4],
    ])
    expect((await by.delete(associationPath(associationOf(b)))).status).toBe(204)
    expect(await orderOf(by, registry)).toEqual([
      [d.id, 1],
      [c.id, 2],
      [a.id, 3],
    ])
    expect((await by.delete(upstreamPath(d))).status).toBe(204)
    expect(await orderOf(by, registry)).toEqual([
      [c.id, 1],
      [a.id, 2],
    ])
    expect((await by.get(upstreamPath(b))).body.registry_upstreams).toEqual([])
    for (const position of [0, 21, 'first'])
      expect((await by.patch(associationPath(associationOf(a)), { position })).status).toBe(400)
    expect((await by.patch(associationPath(associationOf(a)), {})).body.error).toBe('position is missing')
  })

  test('holds five upstreams, also when fifty are added at once', async () => {
    const { group, by, registry } = await withUpstreams(0)
    const { upstreams } = { upstreams: [] as { id: number }[] }
    for (let at = 0; at < 2; at += 1) {
      const other = await makeRegistry(by, group)
      for (let each = 0; each < 5; each += 1) upstreams.push(await makeUpstream(by, other))
    }
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        at % 2 === 0
          ? by.post('/virtual_registries/container/registry_upstreams', {
              registry_id: registry.id,
              upstream_id: upstreams[(at / 2) % 10]?.id,
            })
          : by.post(`${registryPath(registry)}/upstreams`, { url: aUrl(), name: unique('Upstream') }),
      ),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(5)
    expect(statuses.filter((status) => status === 400)).toHaveLength(45)
    expect((await orderOf(by, registry)).map(([, position]) => position)).toEqual([1, 2, 3, 4, 5])
  })

  test('has no sixth position: 400 names it as an attribute of what was to be made', async () => {
    const { group, by, registry } = await withUpstreams(5)
    const text = ['must be less than or equal to 5']
    const created = await by.post(`${registryPath(registry)}/upstreams`, { url: aUrl(), name: 'x' })
    expect([created.status, created.body]).toEqual([
      400,
      { message: { 'registry_upstreams.position': text } },
    ])
    const other = await makeUpstream(by, await makeRegistry(by, group))
    const added = await by.post('/virtual_registries/container/registry_upstreams', {
      registry_id: registry.id,
      upstream_id: other.id,
    })
    expect([added.status, added.body]).toEqual([400, { message: { position: text } }])
  })

  test('stays without gaps when many change it at once', async () => {
    const { by, registry, upstreams } = await withUpstreams(5)
    const { body } = await by.get(registryPath(registry))
    const answers = await Promise.all([
      ...Array.from({ length: 44 }, (_, at) =>
        by.patch(associationPath(body.registry_upstreams[at % 5]), { position: (at % 20) + 1 }),
      ),
      by.delete(upstreamPath(upstreams[0])),
      by.delete(upstreamPath(upstreams[0])),
      by.delete(associationPath(body.registry_upstreams[1])),
      by.post('/virtual_registries/container/registry_upstreams', {
        registry_id: registry.id,
        upstream_id: upstreams[1].id,
      }),
      by.delete(`${registryPath(registry)}/cache`),
      by.delete(`${upstreamPath(upstreams[2])}/cache`),
    ])
    expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
    const positions = (await orderOf(by, registry)).map(([, position]) => position)
    expect(positions).toEqual(positions.map((_, at) => at + 1))
  })

  test('is of upstreams of the same group, each once', async () => {
    const { by, registry, upstreams } = await withUpstreams(1)
    const { group, by: them, upstreams: theirs } = await withUpstreams(1)
    const add = (who: typeof by, upstream_id: number) =>
      who.post('/virtual_registries/container/registry_upstreams', { registry_id: registry.id, upstream_id })
    expect((await add(by, upstreams[0].id)).body).toEqual({
      message: { upstream_id: ['has already been taken'] },
    })
    expect((await add(by, theirs[0].id)).body).toEqual({ message: '404 Upstream Not Found' })
    expect((await add(by, 4_000_000)).body).toEqual({ message: '404 Upstream Not Found' })
    expect((await add(them, theirs[0].id)).body).toEqual({ message: '404 Not found' })
    await own.member(group.id, by, 40)
    expect((await add(by, theirs[0].id)).body).toEqual({
      message: { upstream: ['must belong to the same top-level group as the registry'] },
    })
  })
})
