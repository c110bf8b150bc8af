import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { type Actor, w } from '#test/world.ts'

const titles = ({ body }: Answer): string[] => body.map(({ title }: { title: string }) => title)

/** A group, a group in it, and a project there; all owned by one user. */
async function tree() {
  const group = await w.group()
  const subgroup = await w.group({ parent: group.id })
  const project = await w.project({ parent: subgroup.id })
  return { group, subgroup, project, owner: group.owner }
}

/** Makes a milestone and answers with its id. */
async function made(by: Actor, place: string, given: object): Promise<number> {
  const { status, body } = await by.post(`${place}/milestones`, given)
  expect({ status, body }).toMatchObject({ status: 201 })
  return body.id
}

const factsOf = async (id: number) => {
  const rows = await w.db
    .selectFrom('facts')
    .select(['name', 'details'])
    .where('target_type', '=', 'Milestone')
    .where('target_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map(({ name, details }) => ({ name, details }))
}

describe('POST /projects/:id/milestones', () => {
  test('makes a milestone with every field of the resource', async () => {
    const { id, fullPath, planner } = await w.project()
    const given = {
      title: '1.0',
      description: 'The *first*',
      start_date: '2026-01-01',
      due_date: '2026-02-01',
    }
    const { status, body } = await planner.post(`/projects/${id}/milestones`, given)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...given,
      id: expect.any(Number),
      iid: 1,
      project_id: id,
      state: 'active',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.created_at,
      expired: expect.any(Boolean),
      web_url: `${w.url}/${fullPath}/-/milestones/1`,
    })
    expect(await factsOf(body.id)).toEqual([{ name: 'milestone created', details: { title: '1.0' } }])
    expect((await planner.post(`/projects/${id}/milestones`, { title: ' 2.0 ' })).body).toMatchObject({
      iid: 2,
      title: '2.0',
      description: null,
      start_date: null,
      due_date: null,
      expired: false,
    })
  })

  test('has expired when the day it was due is over', async () => {
    const { id, planner, guest } = await w.project()
    w.clock.hold('2026-02-01T23:59:59.000Z')
    const milestone = await made(planner, `/projects/${id}`, { title: '1.0', due_date: '2026-02-01' })
    const expired = async () => (await guest.get(`/projects/${id}/milestones/${milestone}`)).body.expired
    expect(await expired()).toBe(false)
    w.clock.hold('2026-02-02T00:00:00.000Z')
    expect(await expired()).toBe(true)
  })

  test('of a group counts by itself and shows the group', async () => {
    const { group, project, owner } = await tree()
    await made(owner, `/projects/${project.id}`, { title: 'a' })
    const { body } = await owner.post(`/groups/${group.id}/milestones`, { title: 'b' })
    expect(body).toMatchObject({
      iid: 1,
      group_id: group.id,
      web_url: `${w.url}/groups/${group.fullPath}/-/milestones/1`,
    })
    expect(body).not.toHaveProperty('project_id')
  })

  test('refuses what is missing, blank, too long, no date, or due before it starts', async () => {
    const { id, planner } = await w.project()
    const refused = async (given: object) => {
      const { status, body } = await planner.post(`/projects/${id}/milestones`, given)
      return [status, body.message]
    }
    expect(await refused({})).toEqual([400, '400 (Bad request) "title" not given'])
    expect(await refused({ title: ' ' })).toEqual([400, { title: ['is empty'] }])
    expect(await refused({ title: 'x'.repeat(256) })).toEqual([
      400,
      { title: ['is too long (maximum is 255 characters)'] },
    ])
    expect(await refused({ title: 'x', due_date: '2026-02-30' })).toEqual([400, { due_date: ['is invalid'] }])
    expect(await refused({ title: 'x', start_date: '2026-02-02', due_date: '2026-02-01' })).toEqual([
      400,
      { due_date: ['must not be before the start date'] },
    ])
    await made(planner, `/projects/${id}`, { title: 'x', start_date: '2026-02-02', due_date: '2026-02-02' })
  })

  test('refuses a title that is used there, above or below', async () => {
    const { group, subgroup, project, owner } = await tree()
    const places = [`/groups/${group.id}`, `/groups/${subgroup.id}`, `/projects/${project.id}`]
    const beside = await w.project({ parent: group.id })
    for (const used of places) {
      await made(owner, used, { title: used })
      for (const place of places) {
        const { status, body } = await owner.post(`${place}/milestones`, { title: used })
        expect([status, body.message]).toEqual([
          400,
          { title: ['already being used for another group or project milestone.'] },
        ])
      }
    }
    // What is beside may have the same.
    await made(beside.owner, `/projects/${beside.id}`, { title: `/groups/${subgroup.id}` })
  })

  test('counts 20 at once without gaps', async () => {
    const { id, planner } = await w.project()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => planner.post(`/projects/${id}/milestones`, { title: `v${n}` })),
    )
    const iids = answers.map(({ body }) => body.iid).toSorted((a, b) => a - b)
    expect(iids).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    // A refused one takes no number.
    expect((await planner.post(`/projects/${id}/milestones`, { title: 'v0' })).status).toBe(400)
    expect((await planner.post(`/projects/${id}/milestones`, { title: 'last' })).body.iid).toBe(21)
  })

  test('of 20 at once with one title, one is made', async () => {
    const { id, planner } = await w.group()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => planner.post(`/groups/${id}/milestones`, { title: 'same' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19)
  })
})

describe('GET /projects/:id/milestones', () => {
  test('lists the newest first, whenever they are due', async () => {
    const { id, planner, guest } = await w.project()
    for (const [title, due_date] of [
      ['first', null],
      ['second', '2026-03-01'],
      ['third', '2026-01-01'],
      ['fourth', null],
    ]) {
      await made(planner, `/projects/${id}`, { title, due_date })
    }
    const all = ['fourth', 'third', 'second', 'first']
    expect(titles(await guest.get(`/projects/${id}/milestones`))).toEqual(all)
    const page = await guest.get(`/projects/${id}/milestones?per_page=2&page=2`)
    expect([titles(page), page.headers.get('x-total')]).toEqual([['second', 'first'], '4'])
  })

  test('filters by number, state, title, words and moment of change', async () => {
    const { id, planner } = await w.project()
    const list = async (query: string) => titles(await planner.get(`/projects/${id}/milestones?${query}`))
    w.clock.hold('2026-01-01T00:00:00.000Z')
    const one = await made(planner, `/projects/${id}`, { title: 'Release 1.0', description: '100% done' })
    w.clock.hold('2026-01-02T00:00:00.000Z')
    await made(planner, `/projects/${id}`, { title: 'Release 2.0' })
    await planner.put(`/projects/${id}/milestones/${one}`, { state_event: 'close' })
    w.clock.hold('2026-01-03T00:00:00.000Z')
    await made(planner, `/projects/${id}`, { title: 'Ärger' })
    expect(await list('iids[]=1&iids[]=3')).toEqual(['Ärger', 'Release 1.0'])
    expect(await list('iids=2,3')).toEqual(['Ärger', 'Release 2.0'])
    expect(await list('iids=')).toHaveLength(3)
    expect(await list('state=closed')).toEqual(['Release 1.0'])
    expect(await list('state=active')).toEqual(['Ärger', 'Release 2.0'])
    expect(await list('state=all')).toHaveLength(3)
    expect(await list('title=release%201.0')).toEqual([])
    expect(await list('title=Release%201.0')).toEqual(['Release 1.0'])
    expect(await list('search=%C3%A4RG')).toEqual(['Ärger'])
    expect(await list('search=100%25')).toEqual(['Release 1.0'])
    expect(await list('search_title=100%25')).toEqual([])
    expect(await list('search_title=2.0+rel')).toEqual(['Release 2.0'])
    expect(await list('updated_before=2026-01-02')).toEqual(['Release 2.0', 'Release 1.0'])
    expect(await list('updated_after=2026-01-03')).toEqual(['Ärger'])
    expect((await planner.get(`/projects/${id}/milestones?state=open`)).status).toBe(400)
    expect((await planner.get(`/projects/${id}/milestones?iids[]=x`)).status).toBe(400)
    expect((await planner.get(`/projects/${id}/milestones?start_date=soon`)).status).toBe(400)
  })

  test('filters by the days on which they run', async () => {
    const { id, planner } = await w.project()
    const list = async (query: string) => titles(await planner.get(`/projects/${id}/milestones?${query}`))
    await made(planner, `/projects/${id}`, {
      title: 'january',
      start_date: '2026-01-01',
      due_date: '2026-01-31',
    })
    await made(planner, `/projects/${id}`, { title: 'until march', due_date: '2026-03-01' })
    await made(planner, `/projects/${id}`, { title: 'from june', start_date: '2026-06-01' })
    await made(planner, `/projects/${id}`, { title: 'whenever' })
    expect(await list('containing_date=2026-01-31')).toEqual(['until march', 'january'])
    expect(await list('containing_date=2026-06-01')).toEqual(['from june'])
    expect(await list('start_date=2026-02-01')).toEqual(['from june', 'until march'])
    expect(await list('end_date=2026-01-01')).toEqual(['until march', 'january'])
    expect(await list('start_date=2026-02-01&end_date=2026-05-31')).toEqual(['until march'])
  })

  test('adds those of the groups above when asked, also where numbers are named', async () => {
    const { group, subgroup, project, owner } = await tree()
    await made(owner, `/groups/${group.id}`, { title: 'of group' })
    await made(owner, `/groups/${subgroup.id}`, { title: 'of subgroup' })
    await made(owner, `/projects/${project.id}`, { title: 'of project' })
    const list = async (path: string) => titles(await owner.get(path))
    const inProject = `/projects/${project.id}/milestones`
    expect(await list(inProject)).toEqual(['of project'])
    expect(await list(`${inProject}?include_ancestors=true`)).toHaveLength(3)
    expect(await list(`${inProject}?include_parent_milestones=true`)).toHaveLength(3)
    expect(await list(`${inProject}?include_ancestors=true&iids[]=7`)).toHaveLength(3)
    expect(await list(`/groups/${subgroup.id}/milestones`)).toEqual(['of subgroup'])
    expect(await list(`/groups/${subgroup.id}/milestones?include_ancestors=true`)).toEqual([
      'of subgroup',
      'of group',
    ])
  })

  test('takes two statements', async () => {
    const { id, guest, planner } = await w.project()
    await made(planner, `/projects/${id}`, { title: '1' })
    await made(planner, `/projects/${id}`, { title: '2' })
    await guest.get(`/projects/${id}/milestones`)
    expect(
      await w.statements(() => guest.get(`/projects/${id}/milestones?include_ancestors=true`)),
    ).toHaveLength(2)
  })
})

describe('GET /projects/:id/milestones/:milestone_id', () => {
  test('takes the id; the number, an unknown id and one of elsewhere are 404', async () => {
    const { group, project, owner } = await tree()
    const other = await w.project()
    const foreign = await made(other.owner, `/projects/${other.id}`, { title: '1' })
    const above = await made(owner, `/groups/${group.id}`, { title: '2' })
    const id = await made(owner, `/projects/${project.id}`, { title: '3' })
    expect((await owner.get(`/projects/${project.id}/milestones/${id}`)).body.title).toBe('3')
    for (const key of [foreign, above, 999_999_999]) {
      const { status, body } = await owner.get(`/projects/${project.id}/milestones/${key}`)
      expect([status, body]).toEqual([404, { message: '404 Not found' }])
    }
    expect((await owner.get(`/projects/${project.id}/milestones/x`)).status).toBe(400)
  })
})

describe('PUT /projects/:id/milestones/:milestone_id', () => {
  test('changes what is given and tells what changed', async () => {
    const { id, planner } = await w.project()
    const key = await made(planner, `/projects/${id}`, { title: 'a', description: 'kept' })
    const put = (changes: object) => planner.put(`/projects/${id}/milestones/${key}`, changes)
    expect((await put({ title: 'b', due_date: '2026-01-01' })).body).toMatchObject({
      title: 'b',
      description: 'kept',
      due_date: '2026-01-01',
    })
    expect((await put({ due_date: '', state_event: 'close' })).body).toMatchObject({
      due_date: null,
      state: 'closed',
    })
    expect((await put({ state_event: 'activate', title: 'b' })).body.state).toBe('active')
    expect(await factsOf(key)).toEqual([
      { name: 'milestone created', details: { title: 'a' } },
      { name: 'milestone changed', details: { title: 'b', fields: ['title', 'due_date'] } },
      { name: 'milestone changed', details: { title: 'b', fields: ['due_date'] } },
      { name: 'milestone closed', details: { title: 'b' } },
      { name: 'milestone activated', details: { title: 'b' } },
    ])
  })

  test('writes nothing when nothing differs', async () => {
    const { id, planner } = await w.project()
    w.clock.hold('2026-01-01T00:00:00.000Z')
    const key = await made(planner, `/projects/${id}`, { title: 'a' })
    w.clock.hold('2026-01-02T00:00:00.000Z')
    const same = { title: ' a ', state_event: 'activate', description: null }
    const { body } = await planner.put(`/projects/${id}/milestones/${key}`, same)
    expect(body.updated_at).toBe('2026-01-01T00:00:00.000Z')
    expect(await factsOf(key)).toHaveLength(1)
  })

  test('refuses nothing at all, unknown events, wrong dates, a title that is used, and one of the group', async () => {
    const { group, project, owner } = await tree()
    const above = await made(owner, `/groups/${group.id}`, { title: 'above' })
    const key = await made(owner, `/projects/${project.id}`, { title: 'a', start_date: '2026-02-01' })
    const put = async (changes: object, at = key) =>
      (await owner.put(`/projects/${project.id}/milestones/${at}`, changes)).status
    expect(await put({})).toBe(400)
    expect(await put({ state_event: 'reopen' })).toBe(400)
    expect(await put({ title: '' })).toBe(400)
    expect(await put({ title: 'above' })).toBe(400)
    expect(await put({ due_date: '2026-01-31' })).toBe(400)
    expect(await put({ title: 'b' }, above)).toBe(404)
  })

  test('refuses what was changed since', async () => {
    const { id, planner } = await w.project()
    const key = await made(planner, `/projects/${id}`, { title: 'a' })
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    const path = `/projects/${id}/milestones/${key}`
    expect((await planner.put(path, { title: 'b' }, { headers })).status).toBe(412)
    expect((await planner.delete(path, undefined, { headers })).status).toBe(412)
    expect((await planner.get(path)).body.title).toBe('a')
  })
})

describe('DELETE /projects/:id/milestones/:milestone_id', () => {
  test('takes it from its issues', async () => {
    const { id, planner } = await w.project()
    const key = await made(planner, `/projects/${id}`, { title: 'a' })
    const { body: issue } = await planner.post(`/projects/${id}/issues`, { title: 'x', milestone_id: key })
    expect(issue.milestone).toMatchObject({ id: key, title: 'a' })
    expect((await planner.delete(`/projects/${id}/milestones/${key}`)).status).toBe(204)
    expect((await planner.delete(`/projects/${id}/milestones/${key}`)).status).toBe(404)
    expect((await planner.get(`/projects/${id}/issues/${issue.iid}`)).body.milestone).toBe(null)
    expect((await factsOf(key)).at(-1)).toMatchObject({ name: 'milestone deleted', details: { title: 'a' } })
  })

  test('leaves the issue without one that is given it meanwhile', async () => {
    const { id, planner } = await w.project()
    const key = await made(planner, `/projects/${id}`, { title: 'a' })
    await planner.post(`/projects/${id}/issues`, { title: 'x' })
    const give = () => planner.put(`/projects/${id}/issues/1`, { milestone_id: key })
    const deleted = Promise.withResolvers<void>()
    const met = Promise.withResolvers<void>()
    const deletion = w.write(async (tx) => {
      await tx.db.deleteFrom('milestones').where('id', '=', key).execute()
      deleted.resolve()
      await met.promise
    })
    await deleted.promise
    const answer = give()
    await lockWaiters(1)
    met.resolve()
    await deletion
    const { status, body } = await answer
    expect([status, body.milestone]).toEqual([200, null])
  })
})
