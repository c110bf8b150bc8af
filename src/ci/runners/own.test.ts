import { expect, test } from 'vitest'
import { openWorld, w } from '#test/world.ts'
import { MOST_MANAGERS, noteContact } from './note-contact.ts'
import { forGroup, forProject, madeRunner } from './test-support.ts'

const verify = (given: object, at = w) => at.anonymous.post('/runners/verify', given)

test('a runner verifies its token, and is heard of from then on', async () => {
  w.clock.hold('2031-06-01T12:00:00Z')
  const { maintainer, developer, id } = await w.project()
  const runner = await madeRunner(maintainer, forProject(id))
  const { status, body } = await verify({ token: runner.token, system_id: 's_one' })
  expect([status, body]).toEqual([200, { id: runner.id, token: runner.token, token_expires_at: null }])
  expect((await maintainer.get(runner.path)).body).toMatchObject({
    status: 'online',
    online: true,
    contacted_at: '2031-06-01T12:00:00.000Z',
  })
  const managers = await maintainer.get(`${runner.path}/managers`)
  expect([managers.status, managers.body]).toEqual([
    200,
    [
      {
        id: expect.any(Number),
        system_id: 's_one',
        version: null,
        revision: null,
        platform: null,
        architecture: null,
        created_at: '2031-06-01T12:00:00.000Z',
        contacted_at: '2031-06-01T12:00:00.000Z',
        ip_address: '',
        status: 'online',
      },
    ],
  ])
  expect((await developer.get(`${runner.path}/managers`)).status).toBe(403)
  expect((await verify({ token: 'glrt-none' })).status).toBe(403)
  expect((await verify({})).body.error).toBe('token is missing')
  expect((await verify({ token: runner.token, system_id: 'x'.repeat(65) })).status).toBe(400)
})

test('contacts are written once a minute, and what a manager tells of itself at once', async () => {
  w.clock.hold('2031-06-02T12:00:00Z')
  const { services } = w.running
  const { maintainer, id } = await w.project()
  const runner = await madeRunner(maintainer, forProject(id))
  const info = { version: '17.1.0', revision: 'abc', platform: 'linux', architecture: 'amd64' }
  const note = (contact: Parameters<typeof noteContact>[2]) => noteContact(services, runner.id, contact)
  const first = await note({ systemId: 's_a', info })
  const texts = await w.statements(async () => expect(await note({ systemId: 's_a', info })).toBe(first))
  expect(texts).toHaveLength(1)
  w.clock.hold('2031-06-02T12:00:30Z')
  expect(await note({ systemId: 's_a', info: { ...info, version: '17.2.0' } })).toBe(first)
  expect((await maintainer.get(runner.path)).body).toMatchObject({ version: '17.2.0', platform: 'linux' })
  w.clock.hold('2031-06-02T12:01:30Z')
  const second = await note({ systemId: 's_b' })
  expect(second).not.toBe(first)
  expect(await note({ systemId: undefined })).toBeNull()
  const { body } = await maintainer.get(`${runner.path}/managers`)
  expect(body.map((one: Record<string, unknown>) => [one['system_id'], one['contacted_at']])).toEqual([
    ['s_b', '2031-06-02T12:01:30.000Z'],
    ['s_a', '2031-06-02T12:00:30.000Z'],
  ])
  await maintainer.delete(runner.path)
  await expect(note({ systemId: 's_c' })).rejects.toThrow('403')
})

test('the same new manager at once is one', async () => {
  const { maintainer, id } = await w.project()
  const { token, path } = await madeRunner(maintainer, forProject(id))
  const all = await Promise.all(Array.from({ length: 6 }, () => verify({ token, system_id: 's_same' })))
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
  expect((await maintainer.get(`${path}/managers`)).body).toHaveLength(1)
})

test('a new manager takes the place of those that are silent for long, and of one too many', async () => {
  const { maintainer, id } = await w.project()
  const runner = await madeRunner(maintainer, forProject(id))
  const now = w.clock.now().getTime()
  const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
  await w.db
    .insertInto('ci_runner_managers')
    .values(
      Array.from({ length: MOST_MANAGERS + 1 }, (_, n) => ({
        runner_id: runner.id,
        system_id: `s_${n}`,
        contacted_at: n === 0 ? at(60 * 24 * 8) : at(n),
        created_at: at(60 * 24 * 9),
      })),
    )
    .execute()
  await noteContact(w.running.services, runner.id, { systemId: 's_new' })
  const kept = await w.db
    .selectFrom('ci_runner_managers')
    .select('system_id')
    .where('runner_id', '=', runner.id)
    .execute()
  const names = new Set(kept.map(({ system_id }) => system_id))
  expect([names.size, names.has('s_new'), names.has('s_0'), names.has(`s_${MOST_MANAGERS}`)]).toEqual([
    MOST_MANAGERS,
    true,
    false,
    false,
  ])
})

test('a runner removes one of its managers, and itself', async () => {
  const { maintainer, id } = await w.project()
  const { token, path } = await madeRunner(maintainer, forProject(id))
  await verify({ token, system_id: 's_one' })
  const remove = (given: object) => w.anonymous.delete('/runners/managers', given)
  expect((await remove({ token, system_id: 's_two' })).body.message).toBe('404 Runner manager Not Found')
  expect((await remove({ token: 'glrt-none', system_id: 's_one' })).status).toBe(403)
  expect((await remove({ token, system_id: 's_one' })).status).toBe(204)
  expect((await maintainer.get(`${path}/managers`)).body).toEqual([])
  expect((await w.anonymous.delete('/runners', { token: 'glrt-none' })).status).toBe(403)
  expect((await w.anonymous.delete('/runners', { token })).status).toBe(204)
  expect((await maintainer.get(path)).status).toBe(404)
})

test('a runner exchanges its token, and no token outlives what settings say', async () => {
  const own = await openWorld()
  try {
    const { maintainer, id } = await own.project()
    await own.root.put('/application/settings', { project_runner_token_expiration_interval: 3600 })
    own.clock.hold('2031-07-01T12:00:00Z')
    const { token } = await madeRunner(maintainer, forProject(id))
    expect((await verify({ token }, own)).body.token_expires_at).toBe('2031-07-01T13:00:00.000Z')
    own.clock.hold('2031-07-01T12:59:59Z')
    const { status, body } = await own.anonymous.post('/runners/reset_authentication_token', { token })
    expect([status, body]).toEqual([
      201,
      { token: expect.stringMatching(/^glrt-/), token_expires_at: '2031-07-01T13:59:59.000Z' },
    ])
    expect((await verify({ token }, own)).status).toBe(403)
    own.clock.hold('2031-07-01T13:59:59Z')
    expect((await verify({ token: body.token }, own)).status).toBe(403)
  } finally {
    await own.running.stop()
  }
})

test('runners register themselves with the tokens of the instance, groups and projects, where settings let them', async () => {
  const own = await openWorld()
  try {
    const [place, group] = [await own.project(), await own.group()]
    const tokenOf = async (path: string, by = own.root): Promise<string> => {
      const { status, body } = await by.post(`${path}/runners/reset_registration_token`)
      expect([status, body]).toEqual([
        201,
        { token: expect.stringMatching(/^GR1348941/), token_expires_at: null },
      ])
      return body.token
    }
    const register = (token: string, given: object = {}) =>
      own.anonymous.post('/runners', { token, ...given })
    const typeOf = async (token: string, given: object = {}) => {
      const { status, body } = await register(token, given)
      expect([status, body]).toEqual([
        201,
        { id: expect.any(Number), token: expect.stringMatching(/^glrtr-/), token_expires_at: null },
      ])
      expect((await verify({ token: body.token }, own)).status).toBe(200)
      return (await own.root.get(`/runners/${body.id}`)).body
    }
    const ofInstance = await tokenOf('')
    const ofGroup = await tokenOf(`/groups/${group.id}`, group.owner)
    const ofProject = await tokenOf(`/projects/${place.id}`, place.maintainer)
    expect(await typeOf(ofInstance)).toMatchObject({ runner_type: 'instance_type' })
    expect(await typeOf(ofGroup)).toMatchObject({ runner_type: 'group_type', groups: [{ id: group.id }] })
    const given = { description: 'Own', active: false, maintainer_note: 'Note', info: { name: 'x' } }
    expect(await typeOf(ofProject, given)).toMatchObject({
      runner_type: 'project_type',
      projects: [{ id: place.id }],
      paused: true,
      maintenance_note: 'Note',
    })
    expect((await register('GR1348941none')).body.message).toBe('403 Forbidden - invalid token supplied')
    await tokenOf('')
    expect((await register(ofInstance)).status).toBe(403)
    await own.root.put('/application/settings', { valid_runner_registrars: ['project'] })
    const gone = { status: 410, body: { message: '410 Gone - runner registration disallowed' } }
    expect(await register(ofGroup)).toMatchObject(gone)
    expect((await register(ofProject)).status).toBe(201)
    await own.root.put('/application/settings', { allow_runner_registration_token: false })
    expect(await register(ofProject)).toMatchObject(gone)
    expect((await group.maintainer.post(`/groups/${group.id}/runners/reset_registration_token`)).status).toBe(
      403,
    )
    await own.root.delete(`/projects/${place.id}`)
    expect((await register(ofProject)).status).toBe(403)
    const { body: made } = await own.root.post('/user/runners', forGroup(group.id))
    expect(made.token).toMatch(/^glrt-/)
  } finally {
    await own.running.stop()
  }
})
