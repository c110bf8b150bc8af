import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { forGroup, forInstance, forProject, madeRunner } from './test-support.ts'

const noAccess = { status: 403, body: { message: '403 Forbidden - No access granted' } }

test('somebody makes a runner for a project, and nobody reads its token again', async () => {
  w.clock.hold('2031-01-01T12:00:00Z')
  const place = await w.project()
  const { status, body } = await place.maintainer.post(
    '/user/runners',
    forProject(place.id, {
      description: 'Builder',
      tag_list: 'linux, docker,linux',
      run_untagged: false,
      locked: true,
      paused: true,
      access_level: 'ref_protected',
      maximum_timeout: 3600,
      maintenance_note: 'In the cellar',
    }),
  )
  expect([status, body]).toEqual([
    201,
    { id: expect.any(Number), token: expect.stringMatching(/^glrt-[0-9a-f]{40}$/), token_expires_at: null },
  ])
  const details = await place.maintainer.get(`/runners/${body.id}`)
  expect([details.status, details.body]).toEqual([
    200,
    {
      id: body.id,
      description: 'Builder',
      ip_address: '',
      active: false,
      paused: true,
      is_shared: false,
      runner_type: 'project_type',
      name: null,
      online: null,
      created_at: expect.any(String),
      created_by: expect.objectContaining({ id: place.maintainer.id, username: expect.any(String) }),
      status: 'never_contacted',
      job_execution_status: 'idle',
      tag_list: ['linux', 'docker'],
      run_untagged: false,
      locked: true,
      maximum_timeout: 3600,
      access_level: 'ref_protected',
      version: null,
      revision: null,
      platform: null,
      architecture: null,
      contacted_at: null,
      maintenance_note: 'In the cellar',
      projects: [expect.objectContaining({ id: place.id, path_with_namespace: place.fullPath })],
      groups: [],
    },
  ])
  const stored = await w.db
    .selectFrom('ci_runners')
    .select(['token_digest', 'creator_id'])
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow()
  expect([stored.token_digest.length, stored.creator_id]).toEqual([32, place.maintainer.id])
})

test('who makes runners: administrators for all, owners for groups, maintainers for projects', async () => {
  const [place, group] = [await w.project(), await w.group()]
  const ask = async (by: { post: typeof w.root.post }, given: object) =>
    (await by.post('/user/runners', given)).status
  expect(await ask(w.root, forInstance())).toBe(201)
  expect(await ask(place.owner, forInstance())).toBe(403)
  expect(await ask(group.owner, forGroup(group.id))).toBe(201)
  expect(await ask(group.maintainer, forGroup(group.id))).toBe(403)
  expect(await ask(group.stranger, forGroup(group.id))).toBe(404)
  expect(await ask(place.maintainer, forProject(place.id))).toBe(201)
  expect(await ask(place.developer, forProject(place.id))).toBe(403)
  expect(await ask(place.stranger, forProject(place.id))).toBe(404)
  await place.owner.post(`/projects/${place.id}/archive`)
  expect(await ask(place.owner, forProject(place.id))).toBe(403)
})

test('tokens with the scope create_runner make runners, those with manage_runner change them, and nothing else', async () => {
  const place = await w.project()
  const { client: maker } = await w.token(place.maintainer, ['create_runner'])
  const { client: manager } = await w.token(place.maintainer, ['manage_runner'])
  const made = await maker.post('/user/runners', forProject(place.id))
  expect(made.status).toBe(201)
  const path = `/runners/${made.body.id}`
  expect((await maker.get(path)).status).toBe(403)
  expect((await manager.get(path)).status).toBe(200)
  expect((await manager.put(path, { paused: true })).status).toBe(200)
  expect((await manager.post('/user/runners', forProject(place.id))).status).toBe(403)
  expect((await manager.get(`/projects/${place.id}`)).status).toBe(403)
  expect((await manager.delete(path)).status).toBe(204)
})

test('what no runner can have is refused', async () => {
  const { maintainer, id } = await w.project()
  const refused = async (given: object) => {
    const { status, body } = await maintainer.post('/user/runners', forProject(id, given))
    expect(status).toBe(400)
    return body.error ?? body.message
  }
  expect(await refused({ runner_type: 'group_type' })).toBe('group_id is missing')
  expect(await refused({ project_id: null })).toBe('project_id is missing')
  expect(await refused({ runner_type: 'other' })).toContain('runner_type does not have a valid value')
  expect(await refused({ maximum_timeout: 599 })).toEqual({
    maximum_timeout: ['needs to be at least 10 minutes'],
  })
  expect(await refused({ run_untagged: false })).toEqual({
    tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'],
  })
  expect(await refused({ tag_list: Array.from({ length: 51 }, (_, n) => `tag${n}`) })).toContain('tag_list')
  expect(await refused({ description: 'x'.repeat(1025) })).toContain('description is too long')
})

test('instance runners are shown to everybody signed in, others to maintainers', async () => {
  const group = await w.group()
  const [shared, ofGroup] = [
    await madeRunner(w.root, forInstance()),
    await madeRunner(group.owner, forGroup(group.id)),
  ]
  expect((await group.stranger.get(shared.path)).body).toMatchObject({ is_shared: true, groups: [] })
  expect((await w.anonymous.get(shared.path)).status).toBe(401)
  const seen = await group.maintainer.get(ofGroup.path)
  expect([seen.status, seen.body.groups]).toEqual([
    200,
    [{ id: group.id, name: expect.any(String), web_url: `${w.url}/groups/${group.fullPath}` }],
  ])
  expect(await group.developer.get(ofGroup.path)).toMatchObject(noAccess)
  expect(await group.maintainer.put(ofGroup.path, { paused: true })).toMatchObject(noAccess)
  expect(await group.owner.put(shared.path, { paused: true })).toMatchObject(noAccess)
  expect(await group.maintainer.delete(ofGroup.path)).toMatchObject(noAccess)
  expect((await group.owner.get('/runners/999999999')).body).toEqual({ message: '404 Runner Not Found' })
})

test('PUT changes what it names, and active is the opposite of paused', async () => {
  const { maintainer, id } = await w.project()
  const { path } = await madeRunner(maintainer, forProject(id, { tag_list: ['a'], maximum_timeout: 600 }))
  const put = (given: object) => maintainer.put(path, given)
  expect((await put({ active: false })).body).toMatchObject({ active: false, paused: true, tag_list: ['a'] })
  expect((await put({ paused: false })).body).toMatchObject({ active: true, paused: false })
  expect((await put({ tag_list: '', maximum_timeout: null, description: 'New' })).body).toMatchObject({
    tag_list: [],
    maximum_timeout: null,
    description: 'New',
  })
  expect((await put({ run_untagged: false })).status).toBe(400)
  expect((await put({ active: true, paused: true })).body.error).toBe('active, paused are mutually exclusive')
  expect((await put({})).body.error).toContain('at least one parameter must be provided')
})

test('DELETE removes a runner, by who owns it and unless it has changed', async () => {
  const [place, other] = [await w.project(), await w.project()]
  const runner = await madeRunner(place.maintainer, forProject(place.id))
  await w.member(place.namespaceId, other.maintainer, 40)
  await other.maintainer.post(`/projects/${other.id}/runners`, { runner_id: runner.id })
  expect((await place.maintainer.delete(runner.path)).body.message).toBe(
    '403 Forbidden - Runner associated with more than one project',
  )
  await other.maintainer.delete(`/projects/${other.id}/runners/${runner.id}`)
  const since = { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
  expect((await place.maintainer.delete(runner.path, undefined, { headers: since })).status).toBe(412)
  expect((await place.maintainer.delete(runner.path)).status).toBe(204)
  expect((await place.maintainer.get(runner.path)).status).toBe(404)
})

test('another token takes the place of the first one at once', async () => {
  const { maintainer, developer, id } = await w.project()
  const { path, token } = await madeRunner(maintainer, forProject(id))
  expect(await developer.post(`${path}/reset_authentication_token`)).toMatchObject(noAccess)
  const { status, body } = await maintainer.post(`${path}/reset_authentication_token`)
  expect([status, body]).toEqual([
    201,
    { token: expect.stringMatching(/^glrt-[0-9a-f]{40}$/), token_expires_at: null },
  ])
  const verify = (sent: string) => w.anonymous.post('/runners/verify', { token: sent })
  expect((await verify(token)).status).toBe(403)
  expect((await verify(body.token)).status).toBe(200)
})
