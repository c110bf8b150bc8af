import { describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { unique } from '#test/world.ts'
import {
  makeRegistry,
  makeUpstream,
  ofGroup,
  own,
  registryPath,
  upstreamPath,
  withUpstreams,
  withVirtualRegistries,
} from './test-support.ts'

withVirtualRegistries()

describe('virtual registries', () => {
  test('are made, listed, shown, changed and deleted', async () => {
    const group = await own.group()
    const path = ofGroup({ id: group.id })
    const { status, body } = await group.maintainer.post(path, { name: 'Images', description: 'of others' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        group_id: group.id,
        name: 'Images',
        description: 'of others',
        created_at: expect.stringMatching(/Z$/),
        updated_at: body.created_at,
      },
    ])
    expect((await group.guest.get(path)).body).toEqual([body])
    expect((await group.guest.get(registryPath(body))).body).toEqual({ ...body, registry_upstreams: [] })
    const changed = await group.maintainer.patch(registryPath(body), { description: null })
    expect([changed.status, changed.body]).toMatchObject([200, { name: 'Images', description: null }])
    expect((await group.maintainer.delete(registryPath(body))).status).toBe(204)
    expect((await group.guest.get(registryPath(body))).body).toEqual({ message: '404 Not found' })
  })

  test('need a name, and a change something to change', async () => {
    const { group, registry } = await withUpstreams(0)
    expect((await group.maintainer.post(ofGroup(group), {})).body.error).toBe('name is missing')
    expect((await group.maintainer.post(ofGroup(group), { name: ' ' })).status).toBe(400)
    expect((await group.maintainer.post(ofGroup(group), { name: 'x'.repeat(256) })).status).toBe(400)
    const { status, body } = await group.maintainer.patch(registryPath(registry), {})
    expect([status, body.error]).toEqual([
      400,
      'name, description are missing, at least one parameter must be provided',
    ])
  })

  test('belong to top-level groups alone', async () => {
    const group = await own.group()
    const below = await own.group({ parent: group.id })
    const refusal = { message: { group: ['must be a top-level group'] } }
    const asked = [
      await group.maintainer.post(ofGroup(below), { name: 'x' }),
      await group.maintainer.get(ofGroup(below)),
      await group.maintainer.get(ofGroup(below, 'upstreams')),
      await group.maintainer.post(ofGroup(below, 'upstreams/test'), { url: 'https://9.9.9.9' }),
    ]
    expect(asked.map(({ status, body }) => [status, body])).toEqual(asked.map(() => [400, refusal]))
  })

  test('are five in a group, also when fifty are made at once', async () => {
    const group = await own.group()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => group.maintainer.post(ofGroup(group), { name: unique('Registry') })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(5)
    expect(statuses.filter((status) => status === 400)).toHaveLength(45)
    expect(answers.find(({ status }) => status === 400)?.body).toEqual({
      message: { group: ['already has the maximum number of registries: 5'] },
    })
    expect((await group.guest.get(ofGroup(group))).body).toHaveLength(5)
  })

  test('take the upstreams along that no other registry has', async () => {
    const { group, by, registry, upstreams } = await withUpstreams(2)
    const [shared, alone] = upstreams
    const other = await makeRegistry(by, group)
    await by.post('/virtual_registries/container/registry_upstreams', {
      registry_id: other.id,
      upstream_id: shared.id,
    })
    expect((await by.delete(registryPath(registry))).status).toBe(204)
    expect((await by.get(upstreamPath(shared))).body.registry_upstreams).toMatchObject([
      { registry_id: other.id, position: 1 },
    ])
    expect((await by.get(upstreamPath(alone))).status).toBe(404)
    await expect
      .poll(() => own.db.selectFrom('container_upstreams').select('id').where('id', '=', alone.id).execute())
      .toEqual([])
  })

  test('keep to If-Unmodified-Since', async () => {
    const { by, registry } = await withUpstreams(0)
    const old = { headers: { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' } }
    expect((await by.patch(registryPath(registry), { name: 'New' }, old)).status).toBe(412)
    expect((await by.delete(registryPath(registry), undefined, old)).status).toBe(412)
  })

  test('are for tokens with the scopes for them', async () => {
    const { group, registry } = await withUpstreams(1)
    const [reader, writer, code] = await Promise.all(
      (['read_virtual_registry', 'write_virtual_registry', 'read_repository'] as const).map(
        async (scope) =>
          new Client(own.url, { 'private-token': (await own.token(group.maintainer, [scope])).secret }),
      ),
    )
    const statuses = async (by: Client | undefined) => [
      (await by?.get(ofGroup(group)))?.status,
      (await by?.get(registryPath(registry)))?.status,
      (await by?.patch(registryPath(registry), { name: unique('Name') }))?.status,
      (await by?.post(ofGroup(group), { name: '' }))?.status,
    ]
    expect(await statuses(reader)).toEqual([200, 200, 403, 403])
    expect(await statuses(writer)).toEqual([200, 200, 200, 400])
    expect(await statuses(code)).toEqual([403, 403, 403, 403])
  })
})

describe('where virtual registries are switched off', () => {
  const paths = async () => {
    const { group, by, registry, upstreams } = await withUpstreams(1)
    const [upstream] = upstreams
    return async () => {
      const answers = [
        await by.get(ofGroup(group)),
        await by.post(ofGroup(group), {}),
        await by.get(ofGroup(group, 'upstreams')),
        await by.post(ofGroup(group, 'upstreams/test'), {}),
        await by.get(registryPath(registry)),
        await by.patch(registryPath(registry), {}),
        await by.delete(`${registryPath(registry)}/cache`),
        await by.post(`${registryPath(registry)}/upstreams`, {}),
        await by.get(upstreamPath(upstream)),
        await by.patch(upstreamPath(upstream), {}),
        await by.post(`${upstreamPath(upstream)}/test`, { url: '' }),
        await by.get(`${upstreamPath(upstream)}/cache_entries`),
        await by.post('/virtual_registries/container/registry_upstreams', {}),
        await by.patch('/virtual_registries/container/registry_upstreams/1', {}),
      ]
      return answers.map(({ status, body }) => `${status} ${body?.message}`)
    }
  }
  const hidden = Array.from({ length: 14 }, () => '404 404 Not Found')

  test('by the setting, every route answers 404', async () => {
    const ask = await paths()
    await own.root.put('/application/settings', { container_virtual_registries_enabled: false })
    expect(await ask()).toEqual(hidden)
    await own.root.put('/application/settings', { container_virtual_registries_enabled: true })
  })

  test('by the feature flag, every route answers 404, except in groups that have it', async () => {
    const ask = await paths()
    const group = await own.group()
    const registry = await makeRegistry(group.maintainer, group)
    await makeUpstream(group.maintainer, registry)
    await own.root.post('/features/container_virtual_registries', { value: false })
    expect(await ask()).toEqual(hidden)
    expect((await group.guest.get(registryPath(registry))).status).toBe(404)
    await own.root.post('/features/container_virtual_registries', { value: true, group: group.fullPath })
    expect(await ask()).toEqual(hidden)
    expect((await group.guest.get(registryPath(registry))).status).toBe(200)
    expect((await group.guest.get(ofGroup(group))).status).toBe(200)
    await own.root.post('/features/container_virtual_registries', { value: true })
  })
})
