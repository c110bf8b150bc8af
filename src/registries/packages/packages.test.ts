import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { until } from '#test/until.ts'
import { runPackageCleanupPolicies } from './cleanup-policy.ts'
import { runningJob } from '#ci/job-tokens/test-support.ts'
import { unique, w } from '#test/world.ts'
import { genericFile, genericPackage, publishGeneric } from './test-support.ts'

type Listed = { readonly id: number; readonly name: string; readonly version: string | null }
const names = ({ body }: { readonly body: readonly Listed[] }) =>
  body.map(({ name, version }) => `${name} ${version}`)

describe('GET /projects/:id/packages', () => {
  test('has what was published, in every order', async () => {
    const p = await w.project()
    for (const [name, version] of [
      ['b', '1'],
      ['a', '3'],
      ['c', '2'],
    ] as const)
      await genericPackage(p.developer, p, { name, version })
    const path = `/projects/${p.id}/packages`
    expect(names(await p.reporter.get(path))).toEqual(['b 1', 'a 3', 'c 2'])
    expect(names(await p.reporter.get(`${path}?sort=desc`))).toEqual(['c 2', 'a 3', 'b 1'])
    expect(names(await p.reporter.get(`${path}?order_by=name`))).toEqual(['a 3', 'b 1', 'c 2'])
    expect(names(await p.reporter.get(`${path}?order_by=version`))).toEqual(['b 1', 'c 2', 'a 3'])
    expect(names(await p.reporter.get(`${path}?order_by=type`))).toEqual(['b 1', 'a 3', 'c 2'])
    const paged = await p.reporter.get(`${path}?per_page=2&page=2`)
    expect([names(paged), paged.headers.get('x-total')]).toEqual([['c 2'], '3'])
  })

  test('finds by a part of the name, the version, the type and the status', async () => {
    const p = await w.project()
    await genericPackage(p.developer, p, { name: 'First', version: '1.0' })
    await genericPackage(p.developer, p, { name: 'second', version: '2.0' })
    await publishGeneric(p.developer, p, { name: 'secret', query: '?status=hidden' })
    const found = async (query: string) => names(await p.reporter.get(`/projects/${p.id}/packages?${query}`))
    expect(await found('package_name=fir')).toEqual(['First 1.0'])
    expect(await found('package_name=%25')).toEqual([])
    expect(await found('package_version=2.0')).toEqual(['second 2.0'])
    expect(await found('package_type=generic')).toEqual(['First 1.0', 'second 2.0'])
    expect(await found('package_type=npm')).toEqual([])
    expect(await found('status=hidden')).toEqual(['secret 1.0.0'])
    expect((await p.reporter.get(genericFile(p, { name: 'secret' }))).status).toBe(200)
    const wrong = await p.reporter.get(`/projects/${p.id}/packages?package_type=cpan`)
    expect([wrong.status, wrong.body.error]).toEqual([400, 'package_type does not have a valid value'])
  })

  test('shows whoever may delete a package where', async () => {
    const p = await w.project()
    const id = await genericPackage(p.developer, p)
    const [seen] = (await p.reporter.get(`/projects/${p.id}/packages`)).body
    expect(seen).toEqual({
      id,
      name: 'tool',
      version: '1.0.0',
      package_type: 'generic',
      status: 'default',
      _links: { web_path: `/${p.fullPath}/-/packages/${id}` },
      created_at: expect.any(String),
      last_downloaded_at: null,
      project_id: p.id,
      project_path: p.fullPath,
      tags: [],
      pipelines: [],
    })
    const one = (await p.maintainer.get(`/projects/${p.id}/packages/${id}`)).body
    expect(one['_links'].delete_api_path).toBe(`${w.url}/api/v4/projects/${p.id}/packages/${id}`)
    expect((await p.maintainer.delete(one['_links'].delete_api_path)).status).toBe(204)
  })
})

describe('GET /projects/:id/packages/:package_id', () => {
  test('has the other versions, and when it was last downloaded', async () => {
    const p = await w.project()
    const [one, two] = [
      await genericPackage(p.developer, p, { version: '1' }),
      await genericPackage(p.developer, p, { version: '2' }),
    ]
    await genericPackage(p.developer, p, { name: 'other', version: '3' })
    await p.reporter.get(genericFile(p, { version: '1' }))
    const { body } = await p.reporter.get(`/projects/${p.id}/packages/${one}`)
    expect(body.versions).toEqual([{ id: two, version: '2', created_at: expect.any(String), tags: [] }])
    expect(body.last_downloaded_at).toEqual(expect.any(String))
  })

  test('is of its project alone', async () => {
    const [p, other] = [await w.project(), await w.project()]
    const id = await genericPackage(p.developer, p)
    for (const path of [`${id}`, `${id}/package_files`, `${id}/pipelines`]) {
      const { status, body } = await other.owner.get(`/projects/${other.id}/packages/${path}`)
      expect([status, body.message]).toEqual([404, '404 Package Not Found'])
    }
    const { status, body } = await other.owner.delete(`/projects/${other.id}/packages/${id}`)
    expect([status, body.message]).toEqual([404, '404 Package Not Found'])
  })
})

describe('GET /groups/:id/packages', () => {
  test('has those of the projects below that the caller may read', async () => {
    const g = await w.group()
    const sub = await w.group({ parent: g.id })
    const [here, deep, open] = [
      await w.project({ parent: g.id }),
      await w.project({ parent: sub.id }),
      await w.project({ parent: g.id }),
    ]
    for (const [place, name] of [
      [here, 'here'],
      [deep, 'deep'],
      [open, 'closed'],
    ] as const)
      await genericPackage(w.root, place, { name })
    await w.root.put(`/projects/${open.id}`, { package_registry_access_level: 'disabled' })
    const path = `/groups/${g.id}/packages`
    expect(names(await g.reporter.get(path))).toEqual(['here 1.0.0', 'deep 1.0.0'])
    expect(names(await g.reporter.get(`${path}?exclude_subgroups=true`))).toEqual(['here 1.0.0'])
    expect(names(await g.reporter.get(`${path}?order_by=project_path&sort=desc`))).toHaveLength(2)
    expect((await g.guest.get(path)).body).toEqual([])
    const [listed] = (await g.reporter.get(path)).body
    expect(listed).toMatchObject({ project_id: here.id, project_path: here.fullPath })
  })
})

describe('GET /projects/:id/packages/:package_id/pipelines', () => {
  test('continues by keyset and by offset, the newest first', async () => {
    const job = await runningJob()
    const name = unique('built')
    expect((await publishGeneric(job.client, job, { name })).status).toBe(201)
    const [{ id }] = (await job.developer.get(`/projects/${job.id}/packages?package_name=${name}`)).body
    const later = [await job.create(), await job.create()].map((pipeline) => pipeline.id)
    await w.db
      .insertInto('package_pipelines')
      .values(later.map((pipeline_id) => ({ package_id: id, pipeline_id })))
      .execute()
    const path = `/projects/${job.id}/packages/${id}/pipelines`
    const ids = ({ body }: { readonly body: readonly { readonly id: number }[] }) => body.map((one) => one.id)
    const [second, third] = later
    expect(ids(await job.developer.get(path))).toEqual([third, second, job.pipeline.id])
    const paged = await job.developer.get(`${path}?per_page=2&page=2`)
    expect([ids(paged), paged.headers.get('x-total')]).toEqual([[job.pipeline.id], '3'])
    const first = await job.developer.get(`${path}?pagination=keyset&per_page=2`)
    expect([ids(first), first.headers.get('x-total')]).toEqual([[third, second], null])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    expect(ids(await job.developer.get(next))).toEqual([job.pipeline.id])
    const wrong = await job.developer.get(`${path}?pagination=keyset&order_by=id&sort=asc`)
    expect(wrong.status).toBe(405)
  })

  test('is empty for those who may not see pipelines', async () => {
    const p = await w.project({ visibility: 'public' })
    const id = await genericPackage(p.developer, p)
    await w.root.put(`/projects/${p.id}`, { builds_access_level: 'disabled' })
    expect((await p.anonymous.get(`/projects/${p.id}/packages/${id}/pipelines`)).body).toEqual([])
  })
})

describe('deletion', () => {
  test('of a file leaves the package; of the package, nothing', async () => {
    const p = await w.project()
    const { body } = await publishGeneric(p.developer, p, { query: '?select=package_file' })
    const path = `/projects/${p.id}/packages/${body.package_id}`
    expect((await p.developer.delete(path)).status).toBe(403)
    expect((await p.maintainer.delete(`${path}/package_files/${body.id}`)).status).toBe(204)
    const again = await p.maintainer.delete(`${path}/package_files/${body.id}`)
    expect([again.status, again.body.message]).toEqual([404, '404 Package File Not Found'])
    expect((await p.reporter.get(path)).status).toBe(200)
    expect((await p.reporter.get(genericFile(p))).status).toBe(404)
    expect((await p.maintainer.delete(path)).status).toBe(204)
    expect((await p.reporter.get(path)).status).toBe(404)
    expect((await publishGeneric(p.developer, p)).status).toBe(201)
  })

  test('and publication are in the audit events, and in the size of the project', async () => {
    const p = await w.project()
    const id = await genericPackage(p.developer, p, { content: 'x'.repeat(1_000) })
    const sizes = async () => (await p.owner.get(`/projects/${p.id}?statistics=true`)).body.statistics
    expect(await sizes()).toMatchObject({ packages_size: 1_000 })
    await p.maintainer.delete(`/projects/${p.id}/packages/${id}`)
    expect(await sizes()).toMatchObject({ packages_size: 0 })
    const events = await w.onPlan('premium', () => p.owner.get(`/projects/${p.id}/audit_events`))
    expect(events.body.map((one: { readonly event_name: string }) => one.event_name).slice(0, 2)).toEqual([
      'package_registry_package_deleted',
      'package_registry_package_published',
    ])
  })
})

describe('packages', () => {
  test('go with a project that moves or is renamed', async () => {
    const [p, group] = [await w.project(), await w.group()]
    const id = await genericPackage(p.developer, p)
    expect((await w.root.put(`/projects/${p.id}/transfer`, { namespace: group.id })).status).toBe(200)
    await w.root.put(`/projects/${p.id}`, { path: unique('renamed') })
    expect((await p.maintainer.get(genericFile(p))).text).toBe('hello')
    const { body } = await w.root.get(`/projects/${p.id}`)
    const moved = (await w.root.get(`/groups/${group.id}/packages`)).body
    expect(moved).toMatchObject([{ id, project_path: body.path_with_namespace }])
  })

  test('are gone with a project that is deleted, and leave their bytes to the clean-up', async () => {
    const p = await w.project()
    const content = unique('bytes that nobody else has')
    const id = await genericPackage(p.developer, p, { content })
    const { file_id } = await w.db
      .selectFrom('package_files')
      .select('file_id')
      .where('package_id', '=', id)
      .executeTakeFirstOrThrow()
    expect((await p.owner.delete(`/projects/${p.id}`)).status).toBe(202)
    await until(async () => {
      const rows = await w.db.selectFrom('packages').select('id').where('id', '=', id).execute()
      expect(rows).toEqual([])
    })
    const long = sql`update files set used_at = now() - interval '3 days', created_at = now() - interval '3 days'
      where id = ${file_id}`
    await long.execute(w.db)
    await w.write((tx) => enqueue(tx, cleanUpFiles, {}))
    await until(async () => expect(await w.running.services.files.find(file_id)).toBeUndefined())
  })

  test('keep the newest files of a name as the policy says', async () => {
    const p = await w.project()
    const path = `/projects/${p.id}/packages/cleanup_policy`
    const none = { keep_n_duplicated_package_files: null, next_run_at: null }
    expect((await p.maintainer.get(path)).body).toEqual(none)
    for (const content of ['1', '2', '3']) await publishGeneric(p.developer, p, { content })
    await publishGeneric(p.developer, p, { file: 'other' })
    const safe = { name: 'safe' }
    await p.maintainer.post(`/projects/${p.id}/packages/protection/rules`, {
      package_name_pattern: 'safe',
      package_type: 'generic',
      minimum_access_level_for_delete: 'owner',
    })
    for (const content of ['1', '2', '3']) await publishGeneric(p.developer, p, { ...safe, content })
    const { body } = await p.maintainer.put(path, { keep_n_duplicated_package_files: 2 })
    expect(body).toEqual({ keep_n_duplicated_package_files: 2, next_run_at: expect.any(String) })
    await sql`update package_cleanup_policies set next_run_at = '2020-01-01' where project_id = ${p.id}`.execute(
      w.db,
    )
    await w.write((tx) => enqueue(tx, runPackageCleanupPolicies, {}))
    const [{ id }, { id: kept }] = (await p.reporter.get(`/projects/${p.id}/packages`)).body
    const names = async (packageId: number) =>
      (await p.reporter.get(`/projects/${p.id}/packages/${packageId}/package_files`)).body.map(
        (file: { readonly file_name: string }) => file.file_name,
      )
    await until(async () => expect(await names(id)).toEqual(['tool.txt', 'tool.txt', 'other']))
    expect((await p.reporter.get(genericFile(p))).text).toBe('3')
    await until(async () =>
      expect(Date.parse((await p.maintainer.get(path)).body.next_run_at)).toBeGreaterThan(Date.UTC(2021)),
    )
    // What a rule keeps from Maintainers, it keeps from their policy.
    expect(await names(kept)).toHaveLength(3)
    expect((await p.maintainer.put(path, { keep_n_duplicated_package_files: '' })).body).toEqual(none)
    expect((await p.maintainer.put(path, { keep_n_duplicated_package_files: 0 })).status).toBe(400)
  })
})

describe('rules that protect packages', () => {
  test('keep those without the role from publishing and deleting', async () => {
    const p = await w.project()
    const rules = `/projects/${p.id}/packages/protection/rules`
    const { status, body } = await p.maintainer.post(rules, {
      package_name_pattern: 'to*l',
      package_type: 'generic',
      minimum_access_level_for_push: 'maintainer',
      minimum_access_level_for_delete: 'owner',
    })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        project_id: p.id,
        package_name_pattern: 'to*l',
        package_type: 'generic',
        minimum_access_level_for_push: 'maintainer',
        minimum_access_level_for_delete: 'owner',
      },
    ])
    const refused = await publishGeneric(p.developer, p)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - Package protected: the rule to*l of the project asks for the role maintainer',
    ])
    expect((await publishGeneric(p.developer, p, { name: 'free' })).status).toBe(201)
    const id = await genericPackage(p.maintainer, p)
    expect((await p.maintainer.delete(`/projects/${p.id}/packages/${id}`)).status).toBe(403)
    const changed = await p.maintainer.patch(`${rules}/${body.id}`, { minimum_access_level_for_delete: '' })
    expect(changed.body).toMatchObject({ minimum_access_level_for_delete: null })
    expect((await p.maintainer.delete(`/projects/${p.id}/packages/${id}`)).status).toBe(204)
    expect((await p.maintainer.get(rules)).body).toEqual([changed.body])
    expect((await p.maintainer.delete(`${rules}/${body.id}`)).status).toBe(204)
    expect((await publishGeneric(p.developer, p)).status).toBe(201)
  })

  test('must ask for a role, and be the only ones with their pattern', async () => {
    const p = await w.project()
    const rules = `/projects/${p.id}/packages/protection/rules`
    const rule = { package_name_pattern: 'a', package_type: 'npm' }
    expect((await p.maintainer.post(rules, rule)).body.message).toEqual({
      base: ['A rule must have at least a minimum access role for push or delete.'],
    })
    const asking = { ...rule, minimum_access_level_for_push: 'admin' }
    expect((await p.maintainer.post(rules, asking)).status).toBe(201)
    const again = await p.maintainer.post(rules, asking)
    expect([again.status, again.body.message]).toEqual([
      400,
      { package_name_pattern: ['has already been taken'] },
    ])
    const missing = await p.maintainer.patch(`${rules}/0`, { minimum_access_level_for_push: 'owner' })
    expect([missing.status, missing.body.message]).toEqual([404, '404 Package Protection Rule Not Found'])
    expect((await p.maintainer.delete(`${rules}/0`)).status).toBe(404)
  })

  test('are not there while their feature flag is off', async () => {
    const p = await w.project()
    const flag = '/features/packages_protected_packages'
    await w.root.post(flag, { value: false })
    try {
      expect((await p.maintainer.get(`/projects/${p.id}/packages/protection/rules`)).status).toBe(404)
    } finally {
      await w.root.delete(flag)
    }
  })
})
