import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { concerning, fillTables, type Plan, plansOf, vacuum } from '#test/plans.ts'
import { own, Puller, withUpstreams, withVirtualRegistries } from '../test-support.ts'
import { evictCache, removeBatch } from './evict.ts'

// How the cache is read where much is kept.

const ENTRIES = 60_000
/** One in so many is a file of its own: most are the manifests and blobs of others, too. */
const SHARED = 3
/** Bytes of a file: some of them are beyond a limit of 20 megabytes. */
const SIZE = 1_050

withVirtualRegistries()

let place: Awaited<ReturnType<typeof withUpstreams>>
let list: string

beforeAll(async () => {
  place = await withUpstreams(5)
  const [first] = place.upstreams
  list = `/virtual_registries/container/upstreams/${first.id}/cache_entries`
  const ids = place.upstreams.map(({ id }) => id)
  await fillTables(own, async (db) => {
    await sql`
    insert into files (id, storage, key, sha256, size, created_at, used_at)
    select md5(n::text), 'disk', left(md5(n::text), 2) || '/' || substr(md5(n::text), 3), sha256(n::text::bytea),
      ${SIZE}::integer, now(), now()
    from generate_series(1, ${ENTRIES / SHARED}::integer) as n`.execute(db)
    await sql`
    insert into container_cache_entries (upstream_id, relative_path, file_id, digest, media_type, size,
      upstream_checked_at, downloaded_at, created_at, updated_at)
    select (${ids}::bigint[])[1 + n % 5], 'team/app-' || n % 100 || '/blobs/sha256:' || n, md5((1 + n / ${SHARED}::integer)::text),
      'sha256:' || n, 'application/octet-stream', ${SIZE}::integer, now(), now() - n * interval '1 minute', now(), now()
    from generate_series(0, ${ENTRIES - 1}::integer) as n`.execute(db)
  })
  await vacuum(own)
}, 180_000)

const about = (plans: readonly Plan[]) => concerning(plans, 'container_cache_entries')

test.each(['', '?page=3', '?per_page=100', '?sort=asc'])(
  'the list of what is kept of an upstream is read by its index: %s',
  async (query) => {
    const { by } = place
    const plans = about(
      await plansOf(own, async () => expect((await by.get(`${list}${query}`)).status).toBe(200)),
    )
    expect(plans).not.toEqual([])
    for (const { scanned } of plans) expect(scanned).not.toContain('container_cache_entries')
    // A list of more than 10,000 is counted once a minute, by the index of the upstream.
    const read = plans.flatMap(({ indexes }) => indexes)
    if (query === '') expect(read).toContain('container_cache_entries_upstream')
    expect(read.some((name) => name.startsWith('container_cache_entries_'))).toBe(true)
  },
)

test('a search looks at what is kept of that upstream alone', async () => {
  const work = async () => expect((await place.by.get(`${list}?search=app-10/`)).status).toBe(200)
  for (const { scanned } of about(await plansOf(own, work)))
    expect(scanned).not.toContain('container_cache_entries')
})

test('a pull finds what is kept at a path by its index', async () => {
  const pull = () =>
    new Puller(own.url, place.group.guest.token).get(`${place.registry.id}/team/app-0/blobs/sha256:0`)
  await pull()
  const digest = `sha256:${'0'.repeat(64)}`
  const head = () =>
    new Puller(own.url, place.group.guest.token).ask(`${place.registry.id}/team/app-0/blobs/${digest}`, {
      method: 'HEAD',
    })
  const plans = about(await plansOf(own, head))
  expect(plans).not.toEqual([])
  for (const { scanned, indexes } of plans) {
    expect(scanned).not.toContain('container_cache_entries')
    expect(indexes).toContain('container_cache_entries_path_key')
  }
})

test('eviction chooses what was not used for longest by an index', async () => {
  const plans = about(
    await plansOf(own, () => own.write((tx) => removeBatch(tx, { age: '15 minutes' }, 1e12))),
  )
  expect(plans).not.toEqual([])
  for (const { scanned } of plans) expect(scanned).not.toContain('container_cache_entries')
  const choices = plans.filter(({ sql }) => sql.includes('order by downloaded_at'))
  expect(choices).not.toEqual([])
  for (const { indexes, sorts } of choices) {
    expect(indexes).toContain('container_cache_entries_downloaded')
    expect(sorts).toEqual([])
  }
})

test('eviction stops where the rest keeps to the limit', async () => {
  await own.root.put('/application/settings', {
    container_virtual_registries_cache_limit: 20,
    container_virtual_registries_cache_days: 0,
  })
  await own.write((tx) => enqueue(tx, evictCache, {}))
  const limit = 20 * 1024 * 1024
  const bytes = async () => {
    const { rows } = await sql<{ bytes: number }>`
      select sum(size)::bigint as bytes from files
      where id in (select file_id from container_cache_entries)`.execute(own.db)
    return rows[0]?.bytes ?? 0
  }
  await expect.poll(bytes).toBeLessThanOrEqual(limit)
  // A batch is twenty entries, of some seven files.
  expect(await bytes()).toBeGreaterThan(limit - 10 * SIZE)
})
