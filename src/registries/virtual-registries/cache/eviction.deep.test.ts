import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { closingRegistries, virtual } from '../pull/test-support.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { makeRegistry, own, registryPath, withVirtualRegistries } from '../test-support.ts'
import { evictCache } from './evict.ts'

withVirtualRegistries({ local: true })
closingRegistries()

const MEGABYTE = 1024 * 1024

const evict = async () => {
  const id = await own.write((tx) => enqueue(tx, evictCache, {}))
  await expect
    .poll(async () => {
      const { rows } = await own.running.services.pool.query(
        'select 1 from graphile_worker.jobs where id = $1',
        [id],
      )
      return rows.length
    })
    .toBe(0)
}
const paths = async (upstreams: { id: number }[]) => {
  const rows = await own.db
    .selectFrom('container_cache_entries')
    .select('relative_path')
    .where('upstream_id', '=', upstreams[0]?.id ?? 0)
    .orderBy('id')
    .execute()
  return rows.map(({ relative_path }) => relative_path)
}
const usedDaysAgo = (path: string, days: number) =>
  own.db
    .updateTable('container_cache_entries')
    .set({ downloaded_at: new Date(Date.now() - days * 86_400_000).toISOString() })
    .where('relative_path', '=', path)
    .execute()

describe('what was not used', () => {
  test('for as long as a setting says goes', async () => {
    const { source, pull, upstreams } = await virtual()
    const [old, recent] = [source.blob(randomBytes(1_000)), source.blob(randomBytes(1_000))]
    for (const { digest } of [old, recent]) await pull(`a/blobs/${digest}`)
    await expect.poll(() => paths(upstreams)).toHaveLength(2)
    await usedDaysAgo(`a/blobs/${old.digest}`, 91)
    await usedDaysAgo(`a/blobs/${recent.digest}`, 89)
    await evict()
    expect(await paths(upstreams)).toEqual([`a/blobs/${recent.digest}`])
  })

  test('for longest goes until the rest keeps to the limit, but nothing that was used just now', async () => {
    const { source, pull, upstreams } = await virtual()
    const blobs = Array.from({ length: 30 }, () => source.blob(randomBytes(MEGABYTE / 8)))
    await Promise.all(blobs.map(({ digest }) => pull(`b/blobs/${digest}`)))
    await expect.poll(() => paths(upstreams)).toHaveLength(30)
    for (const [at, { digest }] of blobs.entries())
      if (at < 28) await usedDaysAgo(`b/blobs/${digest}`, 30 - at)
    await own.root.put('/application/settings', { container_virtual_registries_cache_limit: 1 })
    const pulling = Promise.all(blobs.map(({ digest }) => pull(`b/blobs/${digest}`)))
    await evict()
    expect((await pulling).map(({ status }) => status)).toEqual(blobs.map(() => 200))
    await own.root.put('/application/settings', { container_virtual_registries_cache_limit: 0 })
    const left = await paths(upstreams)
    for (const { digest } of blobs.slice(28)) expect(left).toContain(`b/blobs/${digest}`)
  })
})

test('what is being served goes on to its end when it is evicted or purged meanwhile', async () => {
  const { source, pull, ask, upstreams, registry, by } = await virtual()
  const blob = randomBytes(24 * MEGABYTE)
  const { digest } = source.blob(blob)
  await pull(`c/blobs/${digest}`)
  await expect.poll(() => paths(upstreams)).toHaveLength(1)
  const reader = (await ask(`c/blobs/${digest}`)).body?.getReader()
  const pieces: Uint8Array[] = []
  const next = async () => {
    const { value } = (await reader?.read()) ?? {}
    if (value !== undefined) pieces.push(value)
    return value !== undefined
  }
  await next()
  expect((await by.delete(`${registryPath(registry)}/cache`)).status).toBe(204)
  await expect.poll(() => paths(upstreams)).toEqual([])
  await evict()
  while (await next());
  expect(Buffer.concat(pieces).equals(blob)).toBe(true)
})

test('purging a registry leaves what upstreams keep that another registry has, too', async () => {
  const { source, pull, upstreams, registry, by, group } = await virtual()
  source.image('a', 'v1')
  await pull('a/manifests/v1')
  const other = await makeRegistry(by, group)
  await by.post('/virtual_registries/container/registry_upstreams', {
    registry_id: other.id,
    upstream_id: upstreams[0].id,
  })
  expect((await by.delete(`${registryPath(registry)}/cache`)).status).toBe(204)
  expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('hit')
  expect(source.asked(/manifests/)).toBe(1)
})
