import { setFeatureFlag } from '#platform/feature-flags/set-feature-flag.ts'
import { unique, w } from '#test/world.ts'
import type { Client } from '#test/client.ts'
import type { Place } from '#test/world.ts'
import { licensedAs } from '#test/access/licensed.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const base = '/virtual_registries/container'
const of = ({ id }: Place, rest: string) => `/groups/${id}/-${base}/${rest}`
const newUpstream = () => ({ url: `https://9.9.9.9/${unique('registry')}`, name: 'Upstream' })

const open = new Map<number, Promise<void>>()

/** Opens the feature flag for a place, and waits until the server that has the plan knows. */
async function opened(place: Place): Promise<Client> {
  const keeper = licensedAs(place.owner)
  const turnOn = async () => {
    await w.write((tx) =>
      setFeatureFlag(tx, 'container_virtual_registries', {
        gate: 'some',
        on: true,
        actors: [`Group:${place.id}`],
        groups: [],
      }),
    )
    for (;;) if ((await keeper.get(of(place, 'registries'))).status === 200) return
  }
  const waiting = open.get(place.id) ?? turnOn()
  open.set(place.id, waiting)
  await waiting
  return keeper
}

/** Makes room: a group has five registries at most. */
async function registryIn(place: Place): Promise<{ keeper: Client; registry: { id: number } }> {
  const keeper = await opened(place)
  const { body } = await keeper.get(of(place, 'registries'))
  for (const { id } of body.slice(0, -3)) await keeper.delete(`${base}/registries/${id}`)
  return { keeper, registry: (await keeper.post(of(place, 'registries'), { name: 'Registry' })).body }
}

async function upstreamIn(place: Place) {
  const { keeper, registry } = await registryIn(place)
  const { body } = await keeper.post(`${base}/registries/${registry.id}/upstreams`, newUpstream())
  return { keeper, registry, upstream: body }
}

async function entryIn(place: Place): Promise<{ id: number }> {
  const { upstream } = await upstreamIn(place)
  const file = await w.running.services.files.store(Buffer.from('{}'), { max: 10 })
  const now = new Date().toISOString()
  return w.db
    .insertInto('container_cache_entries')
    .values({
      upstream_id: upstream.id,
      relative_path: `a/manifests/${unique('tag')}`,
      file_id: file.id,
      digest: `sha256:${file.sha256}`,
      media_type: 'application/json',
      size: file.size,
      upstream_checked_at: now,
      downloaded_at: now,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

const cell = (
  lowest: 'guest' | 'maintainer',
  status: number,
  request: (place: Place) => Promise<Asking>,
): RouteExpectation => ({ in: 'group', lowest, status, whileArchived: lowest === 'guest', request })

const atGroup = (
  lowest: 'guest' | 'maintainer',
  status: number,
  rest: string,
  json?: () => object,
): RouteExpectation =>
  cell(lowest, status, async (place) => {
    if (json === undefined) await opened(place)
    else await registryIn(place)
    return { path: of(place, rest), json: json?.() }
  })

const atRegistry = (
  lowest: 'guest' | 'maintainer',
  status: number,
  rest = '',
  json?: () => object,
): RouteExpectation =>
  cell(lowest, status, async (place) => ({
    path: `${base}/registries/${(await registryIn(place)).registry.id}${rest}`,
    json: json?.(),
  }))

const atUpstream = (
  lowest: 'guest' | 'maintainer',
  status: number,
  rest = '',
  json?: () => object,
): RouteExpectation =>
  cell(lowest, status, async (place) => ({
    path: `${base}/upstreams/${(await upstreamIn(place)).upstream.id}${rest}`,
    json: json?.(),
  }))

const atAssociation = (status: number, json?: object): RouteExpectation =>
  cell('maintainer', status, async (place) => ({
    path: `${base}/registry_upstreams/${(await upstreamIn(place)).upstream.registry_upstream.id}`,
    json,
  }))

/** Guests read, maintainers manage. */
export const virtualRegistryExpectations: RouteExpectations = {
  [`GET /groups/:id/-${base}/registries`]: atGroup('guest', 200, 'registries'),
  [`POST /groups/:id/-${base}/registries`]: atGroup('maintainer', 201, 'registries', () => ({
    name: 'Images',
  })),
  [`GET /groups/:id/-${base}/upstreams`]: atGroup('guest', 200, 'upstreams'),
  [`POST /groups/:id/-${base}/upstreams/test`]: atGroup('maintainer', 200, 'upstreams/test', () => ({
    url: 'https://registry.invalid',
  })),
  [`GET ${base}/registries/:id`]: atRegistry('guest', 200),
  [`PATCH ${base}/registries/:id`]: atRegistry('maintainer', 200, '', () => ({ name: unique('Name') })),
  [`DELETE ${base}/registries/:id`]: atRegistry('maintainer', 204),
  [`DELETE ${base}/registries/:id/cache`]: atRegistry('maintainer', 204, '/cache'),
  [`GET ${base}/registries/:id/upstreams`]: atRegistry('guest', 200, '/upstreams'),
  [`POST ${base}/registries/:id/upstreams`]: atRegistry('maintainer', 201, '/upstreams', newUpstream),
  [`GET ${base}/upstreams/:id`]: atUpstream('guest', 200),
  [`PATCH ${base}/upstreams/:id`]: atUpstream('maintainer', 200, '', () => ({ name: unique('Name') })),
  [`DELETE ${base}/upstreams/:id`]: atUpstream('maintainer', 204),
  [`DELETE ${base}/upstreams/:id/cache`]: atUpstream('maintainer', 204, '/cache'),
  [`GET ${base}/upstreams/:id/cache_entries`]: atUpstream('guest', 200, '/cache_entries'),
  [`POST ${base}/upstreams/:id/test`]: atUpstream('maintainer', 200, '/test', () => ({
    url: 'https://registry.invalid',
  })),
  [`POST ${base}/registry_upstreams`]: cell('maintainer', 201, async (place) => {
    const { keeper, registry } = await registryIn(place)
    const { upstream } = await upstreamIn(place)
    // The one from before may have made room.
    const there = (await keeper.get(`${base}/registries/${registry.id}`)).status === 200
    if (!there) throw new Error('there was no room')
    return {
      path: `${base}/registry_upstreams`,
      json: { registry_id: registry.id, upstream_id: upstream.id },
    }
  }),
  [`PATCH ${base}/registry_upstreams/:id`]: atAssociation(200, { position: 1 }),
  [`DELETE ${base}/registry_upstreams/:id`]: atAssociation(204),
  [`DELETE ${base}/cache_entries/:id`]: cell('maintainer', 204, async (place) => ({
    path: `${base}/cache_entries/${(await entryIn(place)).id}`,
  })),
}
