import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeRegistry } from '#test/fake-registry.ts'
import {
  associationPath,
  makeRegistry,
  makeUpstream,
  ofGroup,
  own,
  Puller,
  registryPath,
  upstreamPath,
  withVirtualRegistries,
} from '#registries/virtual-registries/test-support.ts'
import { eventsOf, toldBy } from './test-support.ts'

withVirtualRegistries({ local: true })

let source: FakeRegistry
beforeAll(async () => void (source = await FakeRegistry.open()))
afterAll(() => source[Symbol.asyncDispose]())

const SECRET = 'hunter2-of-the-hub'
const OTHER = 'hunter3-of-the-hub'

/** A registry with one upstream, which wants a password. */
async function place() {
  const group = await own.group()
  const by = group.maintainer
  const registry = await makeRegistry(by, group)
  const upstream = await makeUpstream(by, registry, { url: source.url, username: 'me', password: SECRET })
  return { group, by, registry, upstream }
}

describe('what is done to upstreams is told in the group, with who did it and never the password', () => {
  test('credentials: given, changed and taken away', async () => {
    const group = await own.group()
    const by = group.maintainer
    const registry = await makeRegistry(by, group)
    const url = `${source.url}/credentials`
    const events = await eventsOf(own, async () => {
      const upstream = await makeUpstream(by, registry, { url, username: 'me', password: SECRET })
      await by.patch(upstreamPath(upstream), { username: 'you', password: OTHER })
      await by.patch(upstreamPath(upstream), { username: 'you', password: SECRET })
      await by.patch(upstreamPath(upstream), { username: null, password: null })
      await by.delete(upstreamPath(upstream))
    })
    const username = (from: string, to: string | null) => [
      'container_upstream_username_updated',
      { change: 'username', from, to },
    ]
    const password = ['container_upstream_password_updated', { change: 'password', from: null, to: null }]
    expect(toldBy(events)).toEqual([
      [
        'container_upstream_created',
        { add: 'container upstream', custom_message: `Created upstream ${url}, asked as me` },
      ],
      ['container_upstream_associated', expect.objectContaining({ add: 'container upstream' })],
      username('me', 'you'),
      password,
      password,
      username('you', null),
      password,
      ['container_upstream_dissociated', expect.objectContaining({ remove: 'container upstream' })],
      [
        'container_upstream_deleted',
        { remove: 'container upstream', custom_message: `Deleted upstream ${url}` },
      ],
    ])
    for (const { author_id, entity_type, entity_id } of events)
      expect([author_id, entity_type, entity_id]).toEqual([by.id, 'Group', group.id])
    expect(JSON.stringify(events)).not.toMatch(/hunter/)
  })

  test('tests of the connection: that work and that do not, of one that is known and one that is not', async () => {
    const { group, by, upstream } = await place()
    source.auth = { scheme: 'basic', username: 'me', password: SECRET }
    const events = await eventsOf(own, async () => {
      await by.post(`${upstreamPath(upstream)}/test`)
      await by.post(`${upstreamPath(upstream)}/test`, { username: 'me', password: OTHER })
      await by.post(ofGroup(group, 'upstreams/test'), { url: source.url, username: 'me', password: OTHER })
      // Nobody was asked.
      await by.post(ofGroup(group, 'upstreams/test'), { url: 'http://127.0.0.1@9.9.9.9' })
    })
    source.auth = undefined
    const tested = (how: string) => [
      'container_upstream_tested',
      { custom_message: `Tested the connection to ${source.url}: it ${how}` },
    ]
    expect(toldBy(events)).toEqual([tested('works'), tested('does not work'), tested('does not work')])
    for (const { author_id, entity_id } of events) expect([author_id, entity_id]).toEqual([by.id, group.id])
    expect(JSON.stringify(events)).not.toMatch(/hunter/)
  })

  test('purges, of an upstream and of a registry, and entries that are deleted', async () => {
    const { group, by, registry, upstream } = await place()
    source.image('team/app', 'v1')
    await new Puller(own.url, group.guest.token).get(`${registry.id}/team/app/manifests/v1`)
    const list = `${upstreamPath(upstream)}/cache_entries`
    const { body } = await by.get(`${list}?search=manifests/v1`)
    const events = await eventsOf(own, async () => {
      await by.delete(`/virtual_registries/container/cache_entries/${body[0].id}`)
      await by.delete(`${upstreamPath(upstream)}/cache`)
      await by.delete(`${registryPath(registry)}/cache`)
      // Nobody may who only pulls.
      expect((await group.guest.delete(`${registryPath(registry)}/cache`)).status).toBe(403)
    })
    expect(toldBy(events)).toEqual([
      [
        'container_upstream_cache_entry_deleted',
        {
          remove: 'cache entry',
          custom_message: `Deleted team/app/manifests/v1 from the cache of upstream ${upstream.name}`,
        },
      ],
      [
        'container_upstream_cache_purged',
        { custom_message: `Purged the cache of upstream ${upstream.name}` },
      ],
      [
        'container_virtual_registry_cache_purged',
        { custom_message: `Purged the cache of virtual registry ${registry.name}` },
      ],
    ])
    for (const { author_id, entity_id } of events) expect([author_id, entity_id]).toEqual([by.id, group.id])
  })

  test('where they are asked: added, moved and removed', async () => {
    const { by, registry, upstream } = await place()
    const second = await makeUpstream(by, registry)
    const { body } = await by.get(registryPath(registry))
    const events = await eventsOf(own, async () => {
      const [first, other] = body.registry_upstreams
      await by.patch(associationPath(other), { position: 1 })
      await by.delete(associationPath(first))
      await by.post('/virtual_registries/container/registry_upstreams', {
        registry_id: registry.id,
        upstream_id: upstream.id,
      })
      await by.delete(registryPath(registry))
    })
    expect(toldBy(events)).toEqual([
      [
        'container_upstream_moved',
        {
          change: 'position',
          from: '2',
          to: '1',
          custom_message: `Moved upstream ${second.id} in virtual registry ${registry.name}`,
        },
      ],
      ['container_upstream_dissociated', expect.objectContaining({ remove: 'container upstream' })],
      ['container_upstream_associated', expect.objectContaining({ add: 'container upstream' })],
      [
        'container_virtual_registry_deleted',
        expect.objectContaining({ remove: 'container virtual registry' }),
      ],
    ])
  })
})
