import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld } from '#test/world.ts'

// How indexes and files are found where there are many packages.

const PACKAGES = 200_000
const PROJECTS = 200
const own = await openWorld()
afterAll(() => own.running.stop())

let by: Actor
let project: number
let group: number

beforeAll(async () => {
  const top = await own.group()
  const place = await own.project({ parent: top.id })
  ;[by, project, group] = [top.reporter, place.id, top.id]
  const ids: number[] = [project]
  while (ids.length < PROJECTS) ids.push((await own.project({ parent: top.id })).id)
  await fillTables(own, async (db) => {
    await sql`
    insert into files (id, storage, key, sha256, size, created_at, used_at)
    values (md5('x'), 'disk', left(md5('x'), 2) || '/' || substr(md5('x'), 3), sha256('x'), 1, now(), now())`.execute(
      db,
    )
    await sql`
    insert into packages (id, project_id, name, version, package_type, created_at, updated_at)
    select n, (${ids}::bigint[])[1 + n % ${PROJECTS}::integer], 'package-' || n / 1000, '1.' || n,
      (array['pypi', 'maven', 'npm', 'generic']::package_type[])[1 + n / 1000 % 4], now(), now()
    from generate_series(1, ${PACKAGES}::integer) as n`.execute(db)
    await sql`
    insert into package_files (package_id, project_id, file_id, file_name, size, md5, sha1, sha256, created_at)
    select id, project_id, md5('x'), name || '-' || version || '.zip', 1, decode(md5('x'), 'hex'),
      substr(sha256(id::text::bytea), 1, 20), sha256(id::text::bytea), now()
    from packages`.execute(db)
  })
  await vacuum(own)
}, 240_000)

const inProject = (path: string) => `/projects/${project}/packages/${path}`
const inGroup = (path: string) => `/groups/${group}/-/packages/${path}`

test.each([
  ['the index of a package', 'pypi/simple/package-4', 200],
  ['a file by its digest', 'pypi/files/00/package-4-1.4000.zip', 404],
  ['a file of a version', 'maven/package-5/1.5000/package-5-1.5000.zip.md5', 200],
])('%s is found by indexes, in a project and in a group', async (_, path, status) => {
  for (const url of [inProject(path), inGroup(path)]) {
    const plans = await plansOf(own, async () => expect((await by.get(url)).status).toBe(status))
    const about = [...concerning(plans, 'packages'), ...concerning(plans, 'package_files')]
    expect(about).not.toEqual([])
    for (const { scanned } of about) {
      expect(scanned).not.toContain('packages')
      expect(scanned).not.toContain('package_files')
    }
  }
})

test('the names of the packages in a project are read without those of others', async () => {
  const plans = concerning(await plansOf(own, () => by.get(inProject('pypi/simple'))), 'packages')
  expect(plans).not.toEqual([])
  for (const { scanned } of plans) expect(scanned).not.toContain('packages')
})

test('an index of a package with a thousand files takes less than 100 ms', async () => {
  const times: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const start = performance.now()
    expect((await by.get(inGroup('pypi/simple/package-4'))).text).toContain('package-4-1.4999.zip')
    times.push(performance.now() - start)
  }
  const median = times.toSorted((one, other) => one - other)[5] ?? Infinity
  console.log(`an index of 1,000 files below a group of ${PROJECTS} projects: ${median.toFixed(1)} ms`)
  expect(median).toBeLessThan(100)
})
