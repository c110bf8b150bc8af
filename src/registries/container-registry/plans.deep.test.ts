import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { expectQuick } from '#test/quick.ts'
import { w } from '#test/world.ts'
import { type Registry, withImages } from './test-support.ts'

// How a repository with many tags is read.

const TAGS = 100_000
/** Milliseconds of a page. */
const MOST = 20

let place: Awaited<ReturnType<typeof withImages>>
let path: string
let reader: Registry

beforeAll(async () => {
  place = await withImages()
  reader = place.reporter
  await place.developer.image(place.name, 'first')
  const { id } = await w.db
    .selectFrom('container_repositories')
    .select('id')
    .where('project_id', '=', place.project.id)
    .executeTakeFirstOrThrow()
  await fillTables(w, async (db) => {
    await sql`
      insert into container_manifests (repository_id, digest, file_id, size, total_size, media_type, created_at, touched_at)
      select ${id}, sha256(n::text::bytea), (select file_id from container_manifests where repository_id = ${id} limit 1),
        1, 1, 'application/vnd.oci.image.manifest.v1+json', now(), now()
      from generate_series(1, ${TAGS}::integer) as n`.execute(db)
    await sql`
      insert into container_tags (repository_id, name, manifest_id, created_at, updated_at)
      select ${id}, 'v' || m.id, m.id, now(), now() from container_manifests m
      where m.repository_id = ${id} and m.size = 1`.execute(db)
  })
  await vacuum(w)
  path = `/projects/${place.project.id}/registry/repositories/${id}/tags`
}, 180_000)

test.each([
  '?pagination=keyset&order_by=name&per_page=100',
  '?pagination=keyset&order_by=name&per_page=100&last=v5',
  '?pagination=keyset&order_by=name&sort=desc&per_page=100&last=v5',
  '?per_page=100',
])('a page of 100,000 tags is read by the index in 20 ms: %s', async (query) => {
  const ask = async () => expect((await place.project.reporter.get(path + query)).body).toHaveLength(100)
  const plans = concerning(await plansOf(w, ask), 'container_tags')
  expect(plans).not.toEqual([])
  // A page by its number counts up to 10,000 rows, which one repository that has all of them scans.
  if (query.includes('keyset'))
    for (const { scanned } of plans) expect(scanned).not.toContain('container_tags')
  const time = await expectQuick(ask, MOST)
  console.info(`${query}: ${time.toFixed(1)} ms`)
})

test('a page of the list that clients read is read by the index in 20 ms', async () => {
  const ask = async () => expect((await reader.ask(`${place.name}/tags/list?n=100&last=v5`)).status).toBe(200)
  const plans = concerning(await plansOf(w, ask), 'container_tags')
  for (const { scanned } of plans) expect(scanned).not.toContain('container_tags')
  await expectQuick(ask, MOST)
})
