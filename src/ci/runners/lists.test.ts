import { expect, test } from 'vitest'
import { type Actor, unique, w } from '#test/world.ts'
import { forGroup, forInstance, forProject, madeRunner } from './test-support.ts'

async function idsOf(by: Actor, path: string): Promise<number[]> {
  const { status, body } = await by.get(path)
  expect([status, body.message ?? body.error]).toEqual([200, undefined])
  return body.map(({ id }: { id: number }) => id)
}

/** A group with a project in it, and a runner of each. */
async function placeWithRunners() {
  const group = await w.group()
  const { body: project } = await group.owner.post('/projects', {
    name: unique('Project'),
    namespace_id: group.id,
  })
  const ofGroup = await madeRunner(group.owner, forGroup(group.id))
  const ofProject = await madeRunner(group.owner, forProject(project.id))
  return { ...group, project: project.id as number, ofGroup, ofProject }
}

test('GET /runners has those of groups that the caller owns and of projects that they maintain', async () => {
  const place = await placeWithRunners()
  const elsewhere = await w.project()
  await madeRunner(elsewhere.maintainer, forProject(elsewhere.id))
  expect(await idsOf(place.owner, '/runners')).toEqual([place.ofGroup.id, place.ofProject.id])
  expect(await idsOf(place.maintainer, '/runners')).toEqual([place.ofProject.id])
  expect(await idsOf(place.developer, '/runners')).toEqual([])
  expect(await idsOf(place.owner, '/runners?type=group_type')).toEqual([place.ofGroup.id])
  const { body } = await place.owner.get('/runners?type=project_type')
  expect(body).toEqual([
    {
      id: place.ofProject.id,
      description: null,
      ip_address: '',
      active: true,
      paused: false,
      is_shared: false,
      runner_type: 'project_type',
      name: null,
      online: null,
      created_at: expect.any(String),
      created_by: expect.objectContaining({ id: place.owner.id }),
      status: 'never_contacted',
      job_execution_status: 'idle',
    },
  ])
})

test('GET /projects/:id/runners has all that take jobs of the project, as its settings say', async () => {
  const place = await placeWithRunners()
  const shared = await madeRunner(w.root, forInstance({ tag_list: [unique('tag')] }))
  const path = `/projects/${place.project}/runners`
  const own = [place.ofGroup.id, place.ofProject.id]
  const seen = async (query = '') => {
    const ids = await idsOf(place.maintainer, `${path}?per_page=100${query}`)
    return { own: ids.filter((id) => own.includes(id)), shared: ids.includes(shared.id), count: ids.length }
  }
  expect(await seen()).toMatchObject({ own, shared: true })
  expect(await seen('&scope=specific')).toMatchObject({ own, shared: false, count: 2 })
  expect(await seen('&type=instance_type')).toMatchObject({ own: [], shared: true })
  await place.owner.put(`/projects/${place.project}`, { shared_runners_enabled: false })
  expect(await seen()).toEqual({ own, shared: false, count: 2 })
  await place.owner.put(`/projects/${place.project}`, { group_runners_enabled: false })
  expect(await seen()).toMatchObject({ own: [place.ofProject.id], count: 1 })
  expect((await place.developer.get(path)).status).toBe(403)
})

test('GET /groups/:id/runners has those of the groups above it and of the instance, unless it refuses these', async () => {
  const place = await placeWithRunners()
  const shared = await madeRunner(w.root, forInstance())
  const { body: below } = await place.owner.post('/groups', {
    name: 'Below',
    path: unique('below'),
    parent_id: place.id,
  })
  const path = `/groups/${below.id}/runners?per_page=100`
  expect(await idsOf(place.owner, path)).toEqual(expect.arrayContaining([place.ofGroup.id, shared.id]))
  await place.owner.put(`/groups/${place.id}`, { shared_runners_setting: 'disabled_and_unoverridable' })
  expect(await idsOf(place.owner, path)).toEqual([place.ofGroup.id])
  expect(await idsOf(place.owner, `${path}&type=project_type`)).toEqual([])
  const { ids } = { ids: await idsOf(place.owner, `/projects/${place.project}/runners`) }
  expect(ids).toEqual([place.ofGroup.id, place.ofProject.id])
  expect((await place.maintainer.get(path)).status).toBe(403)
})

test('filters: status, paused, tags, versions and the words of earlier days', async () => {
  w.clock.hold('2031-05-01T12:00:00Z')
  const { maintainer, id } = await w.project()
  const make = async (given: object, contactedAt: string | null, version?: string) => {
    const made = await madeRunner(maintainer, forProject(id, given))
    await w.db
      .updateTable('ci_runners')
      .set({ contacted_at: contactedAt })
      .where('id', '=', made.id)
      .execute()
    if (version !== undefined)
      await w.db
        .insertInto('ci_runner_managers')
        .values({ runner_id: made.id, system_id: 's_1', version, created_at: '2031-05-01T00:00:00Z' })
        .execute()
    return made.id
  }
  const online = await make({ tag_list: ['a', 'b'] }, '2031-05-01T10:00:01Z', '17.1.2')
  const offline = await make({ paused: true, tag_list: ['a'] }, '2031-05-01T10:00:00Z', '16.11.0')
  const stale = await make({}, '2031-04-24T12:00:00Z')
  const never = await make({}, null)
  const find = (query: string) => idsOf(maintainer, `/runners?${query}`)
  expect(await find('status=online')).toEqual([online])
  expect(await find('status=offline')).toEqual([offline, stale])
  expect(await find('status=stale')).toEqual([stale])
  expect(await find('status=never_contacted')).toEqual([never])
  expect(await find('status=not_connected')).toEqual([never])
  expect(await find('status=paused')).toEqual([offline])
  expect(await find('scope=active')).toEqual([online, stale, never])
  expect(await find('scope=stale')).toEqual([stale])
  expect(await find('scope=never_contacted')).toEqual([never])
  expect(await find('scope=project_type')).toEqual([online, offline, stale, never])
  expect(await find('scope=group_type')).toEqual([])
  expect(await find('paused=true')).toEqual([offline])
  expect(await find('tag_list=a,b')).toEqual([online])
  expect(await find('tag_list[]=a')).toEqual([online, offline])
  expect(await find('version_prefix=17.')).toEqual([online])
  expect(await find('version_prefix=1')).toEqual([online, offline])
  const shown = (await maintainer.get('/runners')).body as {
    id: number
    status: string
    online: boolean | null
  }[]
  expect(shown.map((one) => [one.id, one.status, one.online])).toEqual([
    [online, 'online', true],
    [offline, 'offline', false],
    [stale, 'stale', false],
    [never, 'never_contacted', null],
  ])
  for (const query of ['scope=shared', 'status=idle', 'type=other', 'version_prefix=%25'])
    expect((await maintainer.get(`/runners?${query}`)).status).toBe(400)
})

test('GET /runners/all is for administrators, in pages', async () => {
  const { owner, id } = await w.group()
  const { id: runner } = await madeRunner(owner, forGroup(id))
  expect((await owner.get('/runners/all')).status).toBe(403)
  const { headers } = await w.root.get('/runners/all?per_page=1')
  const last = await idsOf(w.root, `/runners/all?per_page=1&page=${headers.get('x-total')}`)
  expect(last).toEqual([runner])
  expect(await idsOf(w.root, '/runners/all?scope=shared&per_page=100')).not.toContain(runner)
})
