import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { deployedProject, deploymentOf, environmentOf, runTask } from '../test-support.ts'
import { deleteEnvironments, stopEnvironments } from './end-by-themselves.ts'
import { slugOf } from './slug.ts'
import { guessTier } from './tier.ts'

const names = (body: { name: string }[]) => body.map(({ name }) => name)

describe('POST /projects/:id/environments', () => {
  test('answers 201 with all fields of an environment', async () => {
    const place = await deployedProject()
    const { status, body } = await place.developer.post(place.environments, {
      name: 'review/fix-foo',
      external_url: 'https://fix-foo.example.com',
      description: 'For the fix',
      auto_stop_at: '2040-01-02',
    })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'review/fix-foo',
        slug: expect.stringMatching(/^review-fix-foo-[a-z0-9]{6}$/),
        external_url: 'https://fix-foo.example.com',
        created_at: expect.any(String),
        updated_at: body.created_at,
        tier: 'development',
        project: expect.objectContaining({ id: place.id, path_with_namespace: place.fullPath }),
        state: 'available',
        auto_stop_at: '2040-01-02T00:00:00.000Z',
        description: 'For the fix',
        auto_stop_setting: 'always',
      },
    ])
    const { body: read } = await place.reporter.get(`${place.environments}/${body.id}`)
    expect(read).toEqual({ ...body, last_deployment: null })
    expect((await place.reporter.get(place.environments)).body).toEqual([body])
  })

  test('refuses a name that is missing, taken, or none of an environment', async () => {
    const place = await deployedProject()
    await environmentOf(place)
    const refusal = async (given: object) => {
      const { status, body } = await place.developer.post(place.environments, given)
      return [status, body.message]
    }
    expect(await refusal({})).toEqual([400, '400 (Bad request) "name" not given'])
    expect(await refusal({ name: 'production' })).toEqual([400, { name: ['has already been taken'] }])
    for (const name of ['/x', 'x/', 'ä', 'a?b', 'a\tb', '/']) {
      expect(await refusal({ name })).toEqual([400, { name: [expect.stringContaining('can contain only')] }])
    }
    expect((await refusal({ name: 'x'.repeat(256) }))[0]).toBe(400)
    for (const name of ['a', 'a b', '$CI_{x}.-_', 'a/b/c', 'x'.repeat(255)])
      await environmentOf(place, { name })
  })

  test('refuses a URL that would run in a browser, and what is no URL', async () => {
    const place = await deployedProject()
    const refusal = async (external_url: string) =>
      (await place.developer.post(place.environments, { name: 'x', external_url })).body.message
    // oxlint-disable-next-line no-script-url
    expect(await refusal('javascript:alert(1)')).toEqual({
      external_url: ['javascript scheme is not allowed'],
    })
    expect(await refusal('not a url')).toEqual({ external_url: ['URI is invalid'] })
    expect((await environmentOf(place, { external_url: '' })).external_url).toBeNull()
  })

  test('refuses what takes an agent of a cluster', async () => {
    const place = await deployedProject()
    const { status, body } = await place.developer.post(place.environments, {
      name: 'x',
      cluster_agent_id: 1,
    })
    expect([status, body.message]).toEqual([400, expect.stringContaining('no agents of clusters')])
  })

  test.each([
    ['production', 'production'],
    ['PROD-eu', 'production'],
    ['live', 'production'],
    ['preprod', 'staging'],
    ['staging', 'staging'],
    ['stg', 'staging'],
    ['Model', 'staging'],
    ['qa', 'testing'],
    ['integration', 'testing'],
    ['acceptance', 'testing'],
    ['review/prod', 'development'],
    ['dev', 'development'],
    ['gstg', 'staging'],
    ['shop', 'other'],
  ])('takes %s for %s', (name, tier) => {
    expect(guessTier(name)).toBe(tier)
  })

  test('keeps a tier that is given', async () => {
    const place = await deployedProject()
    expect((await environmentOf(place, { name: 'prod', tier: 'other' })).tier).toBe('other')
    expect((await place.developer.post(place.environments, { name: 'y', tier: 'x' })).status).toBe(400)
  })
})

describe('the slug of an environment', () => {
  test.each([
    ['production', /^production$/],
    ['Production', /^production-[a-z0-9]{6}$/],
    ['review/A_b c', /^review-a-b-c-[a-z0-9]{6}$/],
    ['1st', /^env-1st-[a-z0-9]{6}$/],
    ['x'.repeat(24), /^x{24}$/],
    ['x'.repeat(25), /^x{17}-[a-z0-9]{6}$/],
    ['trailing-', /^trailing$/],
    ['---', /^env-[a-z0-9]{6}$/],
  ])('of %s fits into a host name', (name, expected) => {
    expect(slugOf(name)).toMatch(expected)
    expect(slugOf(name)).toBe(slugOf(name))
  })

  test('is no other one of the project, though twenty are made at once from names that look alike', async () => {
    // What would be the slug of another name is the name of one of them.
    const name = fc.oneof(
      fc.stringMatching(/^[aA -]{1,3}$/),
      fc.stringMatching(/^[aA -]{1,2}$/).map((other) => slugOf(other)),
      fc.stringMatching(/^[aA -]{1,2}$/).map((other) => slugOf(other, 1)),
      fc.stringMatching(/^[xX]{17}[xX_ ]{6,9}$/),
    )
    const filled = name.filter((one) => one.trim() !== '')
    const twenty = fc.uniqueArray(filled, { minLength: 20, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(twenty, async (names) => {
        const place = await w.project()
        const path = `/projects/${place.id}/environments`
        const answers = await Promise.all(names.map((one) => w.root.post(path, { name: one })))
        expect(answers.map(({ text }) => text).filter((text) => !text.startsWith('{"id"'))).toEqual([])
        const slugs = answers.map(({ body }) => body.slug)
        expect(new Set(slugs).size).toBe(20)
        for (const slug of slugs) expect(slug).toMatch(/^[a-z]([a-z0-9-]{0,22}[a-z0-9])?$/)
      }),
      { numRuns: Number(process.env['TEST_SLUG_RUNS'] ?? 3), endOnFailure: true },
    )
  })
})

describe('GET /projects/:id/environments', () => {
  test('lists them as they were made, by name, by a part of the name, and by state', async () => {
    const place = await deployedProject()
    for (const name of ['staging', 'production', 'review/one', 'review/two'])
      await environmentOf(place, { name })
    const { id } = await environmentOf(place, { name: 'old' })
    await place.developer.post(`${place.environments}/${id}/stop`)
    const list = async (query: string) =>
      names((await place.reporter.get(`${place.environments}?${query}`)).body)
    expect(await list('')).toEqual(['staging', 'production', 'review/one', 'review/two', 'old'])
    expect(await list('name=production')).toEqual(['production'])
    expect(await list('name=prod')).toEqual([])
    expect(await list('search=REVIEW')).toEqual(['review/one', 'review/two'])
    expect(await list('states=stopped')).toEqual(['old'])
    expect(await list('states=available&per_page=1&page=2')).toEqual(['production'])
    const refused = async (query: string) =>
      (await place.reporter.get(`${place.environments}?${query}`)).status
    expect(await refused('search=re')).toBe(400)
    expect(await refused('name=a&search=abc')).toBe(400)
    expect(await refused('states=gone')).toBe(400)
  })

  test('costs the same statements for many as for one', async () => {
    const place = await deployedProject()
    await environmentOf(place)
    const list = async () => void (await place.reporter.get(place.environments))
    await list()
    const one = await w.statements(list)
    for (const name of ['a', 'b', 'c']) await environmentOf(place, { name })
    expect(await w.statements(list)).toEqual(one)
  })

  test('is for those who read the code, while the project has environments', async () => {
    const place = await deployedProject({ visibility: 'public' })
    const { path } = await environmentOf(place)
    expect((await place.stranger.get(path)).status).toBe(200)
    expect((await place.anonymous.get(path)).status).toBe(401)
    await place.maintainer.put(place.base, { environments_access_level: 'private' })
    expect((await place.stranger.get(path)).status).toBe(403)
    expect((await place.guest.get(path)).status).toBe(200)
    await place.maintainer.put(place.base, { environments_access_level: 'disabled' })
    expect((await place.maintainer.get(path)).status).toBe(403)
    expect((await place.maintainer.post(place.environments, { name: 'x' })).status).toBe(403)
  })
})

describe('an environment', () => {
  test('changes by PUT what is given, and nothing else', async () => {
    const place = await deployedProject()
    const { path, ...before } = await environmentOf(place)
    const change = async (given: object) => (await place.developer.put(path, given)).body
    expect(await change({})).toEqual(before)
    const after = {
      description: 'x',
      external_url: 'https://x.example',
      tier: 'other',
      auto_stop_setting: 'with_action',
    }
    expect(await change(after)).toEqual({ ...before, ...after, updated_at: expect.any(String) })
    expect(await change({ description: null, external_url: null })).toMatchObject({
      description: null,
      external_url: null,
      tier: 'other',
    })
    expect(await change({ name: 'other' })).toMatchObject({ name: 'production' })
    const since = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
    expect((await place.developer.send('PUT', path, { json: { tier: 'testing' }, ...since })).status).toBe(
      412,
    )
  })

  test('is found in its own project only', async () => {
    const [place, other] = [await deployedProject(), await deployedProject()]
    const { id } = await environmentOf(place)
    const elsewhere = `${other.environments}/${id}`
    const answers = [
      await w.root.get(elsewhere),
      await w.root.put(elsewhere, { tier: 'other' }),
      await w.root.post(`${elsewhere}/stop`),
      await w.root.delete(elsewhere),
    ]
    for (const { status, body } of answers) expect([status, body.message]).toEqual([404, '404 Not found'])
  })

  test('stops, with or without force, and stays stopped', async () => {
    const place = await deployedProject()
    const { path } = await environmentOf(place, { auto_stop_at: '2040-01-01' })
    const { status, body } = await place.developer.post(`${path}/stop`, { force: true })
    expect([status, body.state, body.auto_stop_at]).toEqual([200, 'stopped', null])
    expect((await place.developer.post(`${path}/stop`)).body).toEqual(body)
  })

  test('is deleted with its deployments once it is stopped', async () => {
    const place = await deployedProject()
    const { path, id } = await environmentOf(place)
    const deployment = await deploymentOf(place, { status: 'success' })
    const refused = await place.developer.delete(path)
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - stop the environment first',
    ])
    await place.developer.post(`${path}/stop`)
    expect((await place.developer.delete(path)).status).toBe(204)
    expect((await place.reporter.get(path)).status).toBe(404)
    expect((await place.reporter.get(deployment.path)).status).toBe(404)
    expect((await environmentOf(place)).id).not.toBe(id)
  })

  test('is gone at once, whatever was deployed there, which a job removes in batches', async () => {
    const place = await deployedProject()
    const { path, id, slug } = await environmentOf(place)
    const { id: kept } = await environmentOf(place, { name: 'kept' })
    const last = await deploymentOf(place, { environment: 'kept', status: 'success' })
    // More than a batch.
    await sql`
      insert into deployments (project_id, environment_id, iid, sha, ref, tag, status, created_at, updated_at)
      select ${place.id}, ${id}, n + 10, ${'a'.repeat(40)}, 'main', false, 'failed', now(), now()
      from generate_series(1, 2500) as n`.execute(w.db)
    await place.developer.post(`${path}/stop`)
    const count = async () => {
      const { rows } = await sql<{ environments: number; deployments: number }>`
        select (select count(*)::integer from environments where project_id = ${place.id}) as environments,
          (select count(*)::integer from deployments where project_id = ${place.id}) as deployments`.execute(
        w.db,
      )
      return rows[0]
    }
    await w.db.transaction().execute(async (tx) => {
      // The job waits for these rows.
      await sql`select 1 from deployments where environment_id = ${id} for key share`.execute(tx)
      expect((await place.developer.delete(path)).status).toBe(204)
      expect(await count()).toEqual({ environments: 2, deployments: 2_501 })
      expect(names((await place.reporter.get(place.environments)).body)).toEqual(['kept'])
      const { body, headers } = await place.reporter.get(place.deployments)
      expect([body.map((one: { id: number }) => one.id), headers.get('x-total')]).toEqual([[last.id], '1'])
      expect((await place.reporter.get(`${place.deployments}?environment=production`)).body).toEqual([])
      expect((await place.developer.post(`${path}/stop`)).status).toBe(404)
      expect((await environmentOf(place)).slug).toBe(slug)
    })
    await expect.poll(count, { timeout: 60_000 }).toEqual({ environments: 2, deployments: 1 })
    const left = (await place.reporter.get(place.environments)).body
    expect(left.map((one: { id: number }) => one.id)).toEqual([kept, expect.any(Number)])
  })

  test('starts again with a deployment that succeeds, and shows it as the last one', async () => {
    const place = await deployedProject()
    const { path } = await environmentOf(place)
    await place.developer.post(`${path}/stop`)
    const failed = await deploymentOf(place, { status: 'failed' })
    expect((await place.reporter.get(path)).body).toMatchObject({ state: 'stopped', last_deployment: null })
    const running = await deploymentOf(place)
    await place.developer.put(running.path, { status: 'success' })
    const shown = (await place.reporter.get(running.path)).body
    const { body } = await place.reporter.get(path)
    expect(body.state).toBe('available')
    expect(shown).toMatchObject(body.last_deployment)
    expect(failed.id).toBeLessThan(body.last_deployment.id)
  })

  test('is removed with its project', async () => {
    const place = await deployedProject()
    const { id } = await environmentOf(place)
    await deploymentOf(place, { status: 'success' })
    await place.maintainer.post(place.periods, { freeze_start: '0 1 * * *', freeze_end: '0 2 * * *' })
    expect((await w.root.delete(place.base)).status).toBe(202)
    const left = async () => [
      ...(await w.db.selectFrom('environments').select('id').where('id', '=', id).execute()),
      ...(await w.db.selectFrom('deployments').select('id').where('project_id', '=', place.id).execute()),
      ...(await w.db.selectFrom('freeze_periods').select('id').where('project_id', '=', place.id).execute()),
    ]
    await expect.poll(left).toEqual([])
  })
})

test('the job of every minute stops those whose time has come, unless that takes an action', async () => {
  const place = await deployedProject()
  const made = await Promise.all(
    [
      { name: 'due', auto_stop_at: '2020-01-01T00:00:00Z' },
      { name: 'with-action', auto_stop_at: '2020-01-01T00:00:00Z', auto_stop_setting: 'with_action' },
      { name: 'later', auto_stop_at: '2090-01-01T00:00:00Z' },
      { name: 'never' },
    ].map((given) => environmentOf(place, given, w.root)),
  )
  await runTask(stopEnvironments)
  const states = await Promise.all(made.map(async ({ path }) => (await place.reporter.get(path)).body.state))
  expect(states).toEqual(['stopped', 'available', 'available', 'available'])
})

describe('DELETE /projects/:id/environments/review_apps', () => {
  test('schedules the old and stopped ones, oldest first, and only without dry_run', async () => {
    const place = await deployedProject()
    const apps = []
    for (const name of ['review/a', 'review/b', 'review/c', 'other'])
      apps.push(await environmentOf(place, { name }))
    for (const { path, name } of apps) if (name !== 'review/c') await place.developer.post(`${path}/stop`)
    const path = `${place.environments}/review_apps`
    const none = await place.developer.delete(path)
    expect([none.status, none.body]).toEqual([
      400,
      { message: 'No environments found for scheduled deletion' },
    ])
    const old = 'before=2090-01-01T00:00:00Z'
    const basic = ({ id, name, slug, external_url, created_at }: Record<string, unknown>) => ({
      id,
      name,
      slug,
      external_url,
      created_at,
      updated_at: expect.any(String),
    })
    const both = { scheduled_entries: apps.slice(0, 2).map(basic), unprocessable_entries: [] }
    expect((await place.developer.delete(`${path}?${old}`)).body).toEqual(both)
    const one = await place.developer.delete(`${path}?${old}&limit=1&dry_run=false`)
    expect([one.status, names(one.body.scheduled_entries)]).toEqual([200, ['review/a']])
    const other = await place.developer.delete(`${path}?${old}&dry_run=false`)
    expect(names(other.body.scheduled_entries)).toEqual(['review/b'])
    await deploymentOf(place, { environment: 'review/b', status: 'success' })
    await w.db
      .updateTable('environments')
      .set({ auto_delete_at: '2020-01-01T00:00:00Z' })
      .where('project_id', '=', place.id)
      .where('auto_delete_at', 'is not', null)
      .execute()
    await runTask(deleteEnvironments)
    expect(names((await place.reporter.get(place.environments)).body)).toEqual([
      'review/b',
      'review/c',
      'other',
    ])
    for (const query of ['limit=0', 'limit=1001', 'before=x']) {
      expect((await place.developer.delete(`${path}?${query}`)).status).toBe(400)
    }
  })

  test('takes at least a Developer', async () => {
    const place = await deployedProject()
    expect((await place.reporter.delete(`${place.environments}/review_apps`)).status).toBe(403)
  })
})
