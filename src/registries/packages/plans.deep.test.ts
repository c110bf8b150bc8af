import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { expectQuick } from '#test/quick.ts'
import { w } from '#test/world.ts'
import { npmPackage, publishNpm } from '../package-formats/npm/test-support.ts'
import { genericFile, genericPackage, publishGeneric } from './test-support.ts'

// How packages are read and published where there are many: in other projects, and in one that has nearly all of them.

const PACKAGES = 200_000
const VERSIONS = 2_000
/** Milliseconds for everything that npm learns of a package. */
const MOST = 50

let group: Awaited<ReturnType<typeof w.group>>
let small: Awaited<ReturnType<typeof w.project>>
let largeGroup: Awaited<ReturnType<typeof w.group>>
let large: Awaited<ReturnType<typeof w.project>>

beforeAll(async () => {
  group = await w.group()
  small = await w.project({ parent: group.id })
  largeGroup = await w.group()
  large = await w.project({ parent: largeGroup.id })
  await genericPackage(w.root, small)
  await publishNpm(w.root, small, {
    name: 'versions',
    manifest: { dependencies: { a: '^1.0.0', b: '^2.0.0' }, description: 'x'.repeat(300) },
  })
  const [{ id }] = (await w.root.get(`/projects/${small.id}/packages?package_type=npm`)).body
  // Foreign keys are not looked at.
  const fill = (project: RawBuilder<number>, count: number, name: string) => sql`
    with made as (
      insert into packages (project_id, name, version, package_type, metadata, created_at, updated_at)
      select ${project}, replace(${name}, '#', n::text), n || '.0.1', 'npm',
          (select metadata from packages where id = ${id}), now() + n * interval '1 second', now()
        from generate_series(1, ${count}::integer) as n
      returning id, project_id, name, version)
    insert into package_files (package_id, project_id, file_id, file_name, size, md5, sha1, sha256, created_at)
    select m.id, m.project_id, f.file_id, m.name || '-' || m.version || '.tgz', f.size, f.md5, f.sha1, f.sha256, now()
      from made m, package_files f where f.package_id = ${id}`
  await fillTables(w, async (db) => {
    await fill(sql`${large.id}::bigint`, PACKAGES / 2, 'package-#').execute(db)
    await fill(sql`1000000 + n % 1000`, PACKAGES / 2, 'package-#').execute(db)
    await fill(sql`${small.id}::bigint`, VERSIONS, 'versions').execute(db)
    await sql`insert into package_tags (project_id, package_type, package_name, name, package_id, created_at, updated_at)
      select project_id, 'npm', name, 'tag-' || id, id, now(), now() from packages where package_type = 'npm' and id % 4 = 0`.execute(
      db,
    )
    await sql`insert into package_pipelines (package_id, pipeline_id)
      select id, n from packages, generate_series(1, 2) as n where package_type = 'npm'`.execute(db)
  })
  await vacuum(w)
}, 180_000)

const TABLES = ['packages', 'package_files', 'package_tags', 'package_pipelines']

/** No table of packages is read from start to end. */
async function expectIndexes(ask: () => Promise<unknown>): Promise<void> {
  const all = await plansOf(w, ask)
  const plans = TABLES.flatMap((table) => concerning(all, table))
  expect(plans).not.toEqual([])
  for (const { scanned, sql: text } of plans)
    expect({ text, scanned: scanned.filter((table) => TABLES.includes(table)) }).toEqual({
      text,
      scanned: [],
    })
}

const ok = async (path: string) => expect((await w.root.get(path)).status).toBe(200)

test.each([
  '',
  '?page=3',
  '?sort=desc',
  '?order_by=name',
  '?order_by=version&sort=desc',
  '?order_by=type',
  '?package_type=npm',
  '?package_version=1000.0.1',
  '?status=hidden',
])('the list of a project with few packages among many is read by an index: %s', async (query) => {
  await expectIndexes(() => ok(`/projects/${small.id}/packages${query}`))
})

test.each(['', '?order_by=name', '?order_by=project_path', '?package_name=version'])(
  'so is the list of a group: %s',
  async (query) => {
    await expectIndexes(() => ok(`/groups/${group.id}/packages${query}`))
  },
)

test.each(['', '?sort=desc', '?order_by=name', '?order_by=version', '?package_name=package-199'])(
  'a page of a project with 100,000 packages is quick: %s',
  async (query) => {
    await expectQuick(
      () => ok(`/projects/${large.id}/packages${query}`),
      query.includes('package_name') ? 250 : 20,
    )
  },
)

test.each(['', '?sort=desc', '?order_by=name'])('so is one of its group: %s', async (query) => {
  await expectQuick(() => ok(`/groups/${largeGroup.id}/packages${query}`), 250)
})

test('one package, its files and its pipelines are found by indexes', async () => {
  const [{ id }] = (await w.root.get(`/projects/${large.id}/packages?per_page=1`)).body
  const one = `/projects/${large.id}/packages/${id}`
  for (const path of [one, `${one}/package_files`, `${one}/pipelines`]) await expectIndexes(() => ok(path))
  await expectIndexes(() => ok(genericFile(small)))
})

test('publishing looks at the versions of the package alone', async () => {
  await expectIndexes(async () => {
    expect((await publishGeneric(w.root, small, { version: '2.0.0' })).status).toBe(201)
  })
  await expectIndexes(async () => {
    expect((await publishNpm(w.root, small, { name: 'versions', version: '9999.0.0' })).body).toEqual({})
  })
})

test('all 2,000 versions of a package of npm are sent in 50 ms', async () => {
  const path = npmPackage(small, 'versions')
  await expectIndexes(() => ok(path))
  await expectIndexes(() => ok(`/groups/${group.id}/-/packages/npm/versions`))
  const { body } = await w.root.get(path)
  expect(Object.keys(body.versions).length).toBeGreaterThanOrEqual(VERSIONS)
  const time = await expectQuick(async () => {
    const answer = await fetch(`${w.url}/api/v4${path}`, { headers: { 'private-token': w.root.token } })
    await answer.arrayBuffer()
  }, MOST)
  console.info(`2,000 versions: ${time.toFixed(1)} ms`)
})
