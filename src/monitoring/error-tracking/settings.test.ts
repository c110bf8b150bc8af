import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { MOST_KEYS } from './create-key.ts'
import { post, tracked } from './test-support.ts'

const off = {
  active: true,
  integrated: true,
  project_name: null,
  tracker_external_url: null,
  sentry_external_url: null,
  api_url: null,
  scrub_personal_data: true,
}

describe('settings', () => {
  test('are 404 until PUT makes them; PATCH makes none', async () => {
    const { id, maintainer } = await w.project()
    const path = `/projects/${id}/error_tracking/settings`
    const missing = { status: 404, body: { message: '404 Error Tracking Setting Not Found' } }
    expect(await maintainer.get(path)).toMatchObject(missing)
    expect(await maintainer.patch(path, { active: true })).toMatchObject(missing)
    expect(await maintainer.put(path, { active: true, integrated: true })).toMatchObject({
      status: 200,
      body: off,
    })
    expect((await maintainer.get(path)).body).toEqual(off)
    expect((await maintainer.put(path, { active: false, integrated: false })).body).toEqual({
      ...off,
      active: false,
      integrated: false,
    })
  })

  test('PATCH leaves `integrated` as it is unless it is given', async () => {
    const { base, maintainer } = await tracked(w)
    const path = `${base}/settings`
    expect((await maintainer.patch(path, { active: false })).body).toEqual({ ...off, active: false })
    expect((await maintainer.patch(path, { active: true, integrated: false })).body).toEqual({
      ...off,
      integrated: false,
    })
    expect((await maintainer.patch(`${path}?active=false&scrub_personal_data=false`)).body).toEqual({
      ...off,
      active: false,
      integrated: false,
      scrub_personal_data: false,
    })
  })

  test.each([
    ['put', { integrated: true }, 'active is missing'],
    ['put', { active: true }, 'integrated is missing'],
    ['put', { active: 'perhaps', integrated: true }, 'active is invalid'],
    ['patch', { integrated: true }, 'active is missing'],
  ] as const)('%s refuses %j', async (method, given, error) => {
    const { base, maintainer } = await tracked(w)
    expect(await maintainer[method](`${base}/settings`, given)).toMatchObject({
      status: 400,
      body: { error },
    })
  })

  test('and keys are audited', async () => {
    const { id, base, key, maintainer } = await tracked(w)
    await maintainer.patch(`${base}/settings`, { active: false })
    await maintainer.delete(`${base}/client_keys/${key.id}`)
    const rows = await w.db
      .selectFrom('audit_events')
      .select('event_name')
      .where('entity_type', '=', 'Project')
      .where('entity_id', '=', id)
      .execute()
    const names = rows.map(({ event_name }) => event_name)
    expect(names).toEqual(
      expect.arrayContaining([
        'error_tracking_active_updated',
        'error_tracking_key_created',
        'error_tracking_key_deleted',
      ]),
    )
  })
})

describe('client keys', () => {
  test('are made, listed and deleted, with a DSN under both names', async () => {
    const { id, maintainer } = await w.project()
    const path = `/projects/${id}/error_tracking/client_keys`
    expect(await maintainer.get(path)).toMatchObject({ status: 200, body: [] })
    const made = await maintainer.post(path)
    const { public_key, sentry_dsn } = made.body
    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({
      id: expect.any(Number),
      active: true,
      public_key: expect.stringMatching(/^glet_[\da-f]{32}$/),
      tracker_dsn: sentry_dsn,
      sentry_dsn: `${w.url.replace('://', `://${public_key}@`)}/api/v4/error_tracking/collector/${id}`,
    })
    const second = await maintainer.post(path)
    expect((await maintainer.get(path)).body).toEqual([made.body, second.body])
    expect((await maintainer.get(`${path}?per_page=1&page=2`)).body).toEqual([second.body])
    const gone = await maintainer.delete(`${path}/${made.body.id}`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await maintainer.get(path)).body).toEqual([second.body])
    expect(await maintainer.delete(`${path}/${made.body.id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Client Key Not Found' },
    })
  })

  test('of other projects are not there', async () => {
    const [one, other] = [await tracked(w), await tracked(w)]
    expect((await other.maintainer.get(`${other.base}/client_keys`)).body).toHaveLength(1)
    expect((await other.maintainer.delete(`${other.base}/client_keys/${one.key.id}`)).status).toBe(404)
    expect((await one.maintainer.get(`${one.base}/client_keys`)).body).toHaveLength(1)
  })

  test('have a maximum', async () => {
    const { id, base, maintainer } = await tracked(w)
    await w.db
      .insertInto('error_tracking_keys')
      .values(
        Array.from({ length: MOST_KEYS - 1 }, (_, at) => ({
          project_id: id,
          public_key: `glet_${id}_${at}`,
          created_at: new Date().toISOString(),
        })),
      )
      .execute()
    expect(await maintainer.post(`${base}/client_keys`)).toMatchObject({
      status: 400,
      body: { message: { base: ['has 100 client keys already'] } },
    })
  })

  test('are refused for others than maintainers, and the project stays hidden from strangers', async () => {
    const { base, developer, stranger, anonymous } = await tracked(w)
    for (const path of [`${base}/settings`, `${base}/client_keys`]) {
      expect((await developer.get(path)).status).toBe(403)
      expect((await stranger.get(path)).status).toBe(404)
      expect((await anonymous.get(path)).status).toBe(401)
    }
  })

  test('browsers may ask from other sites', async () => {
    const { api } = await tracked(w)
    const preflight = await post(
      `${api}/envelope/`,
      '',
      {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-sentry-auth,content-type',
      },
      'OPTIONS',
    )
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': expect.stringContaining('POST'),
        'access-control-allow-headers': 'x-sentry-auth,content-type',
      },
    })
  })
})
