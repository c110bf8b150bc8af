import { randomBytes } from 'node:crypto'
import { type afterAll, afterEach, expect } from 'vitest'
import { FakeRegistry, OCI_INDEX, OCI_MANIFEST } from '#test/fake-registry.ts'
import { makeRegistry, makeUpstream, own, Puller } from '../test-support.ts'

const open: FakeRegistry[] = []

/** Closes the registries of each test, or of all tests of a file. */
export function closingRegistries(after: typeof afterEach | typeof afterAll = afterEach): void {
  after(async () => {
    for (const registry of open.splice(0)) await registry[Symbol.asyncDispose]()
  })
}

export async function fake(): Promise<FakeRegistry> {
  const registry = await FakeRegistry.open()
  open.push(registry)
  return registry
}

/** What current clients accept. */
export const accepted = { accept: `${OCI_MANIFEST}, ${OCI_INDEX}` }

/** A virtual registry over some others, and somebody who pulls from it. */
export async function virtual(count = 1, upstream: object = {}) {
  const group = await own.group()
  const registry = await makeRegistry(group.maintainer, group)
  const sources: FakeRegistry[] = []
  const upstreams = []
  for (let at = 0; at < count; at += 1) {
    const source = await fake()
    sources.push(source)
    upstreams.push(await makeUpstream(group.maintainer, registry, { url: source.url, ...upstream }))
  }
  const [source = await fake()] = sources
  const puller = new Puller(own.url, group.guest.token)
  const pull = (path: string, headers: Record<string, string> = accepted) =>
    puller.get(`${registry.id}/${path}`, headers)
  const ask = (path: string, options: Parameters<Puller['ask']>[1] = {}) =>
    puller.ask(`${registry.id}/${path}`, options)
  return { group, by: group.maintainer, registry, source, sources, upstreams, pull, ask }
}

/** Makes everything that is kept of a registry's tags too old. */
export async function age(upstreams: readonly { readonly id: number }[]): Promise<void> {
  await own.db
    .updateTable('container_cache_entries')
    .set({ upstream_checked_at: '2020-01-01T00:00:00.000Z' })
    .where(
      'upstream_id',
      'in',
      upstreams.map(({ id }) => id),
    )
    .execute()
}

/** Limits what is kept of images. */
export const limitTo = (megabytes: number) =>
  own.root.put('/application/settings', { container_virtual_registries_cache_limit: megabytes })

const MEGABYTE = 1024 * 1024
type Place = Awaited<ReturnType<typeof virtual>>

const keptOf = async ({ upstreams }: Pick<Place, 'upstreams'>) => {
  const rows = own.db.selectFrom('container_cache_entries').select(['size', 'relative_path'])
  return rows.where('upstream_id', '=', upstreams[0].id).orderBy('id').execute()
}
/** How many bytes are kept of the first upstream of a place. */
export const bytesOf = async (place: Place) => (await keptOf(place)).reduce((sum, { size }) => sum + size, 0)

/** Pulls new blobs, one after the other, until each is kept. */
export async function fill(place: Place, count: number, size = MEGABYTE) {
  for (let at = 0; at < count; at += 1) {
    const { digest } = place.source.blob(randomBytes(size))
    expect((await place.pull(`a/blobs/${digest}`)).status).toBe(200)
    await expect
      .poll(async () => (await keptOf(place)).some(({ relative_path }) => relative_path.endsWith(digest)))
      .toBe(true)
  }
}
