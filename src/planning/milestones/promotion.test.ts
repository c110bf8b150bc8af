import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { w } from '#test/world.ts'

const promoted = (project: number, milestone: number) =>
  `/projects/${project}/milestones/${milestone}/promote`

describe('POST /projects/:id/milestones/:milestone_id/promote', () => {
  test('makes it one of the group, in the place of its duplicates, and issues follow', async () => {
    const group = await w.group()
    const { owner } = group
    const below = await w.group({ parent: group.id })
    const projects = [await w.project({ parent: group.id }), await w.project({ parent: below.id })]
    await owner.post(`/groups/${group.id}/milestones`, { title: 'first' })
    const ids: number[] = []
    for (const { id } of projects) {
      const { body } = await owner.post(`/projects/${id}/milestones`, { title: '1.0' })
      await owner.post(`/projects/${id}/issues`, { title: 'x', milestone_id: body.id })
      ids.push(body.id)
    }
    const { status, body } = await owner.post(promoted(projects[0]?.id ?? 0, ids[0] ?? 0))
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: ids[0], iid: 2, group_id: group.id, title: '1.0' },
    })
    for (const { id } of projects) {
      expect((await owner.get(`/projects/${id}/milestones`)).body).toEqual([])
      expect((await owner.get(`/projects/${id}/issues/1`)).body.milestone).toEqual(body)
    }
    const events = await w.db
      .selectFrom('resource_events')
      .select('kind')
      .where('milestone_id', '=', body.id)
      .execute()
    expect(events).toHaveLength(2)
    expect((await owner.get(`/groups/${group.id}/milestones/${body.id}/issues`)).body).toHaveLength(2)
  })

  test('takes the right to do that in the group, too', async () => {
    const { id, groupId, planner, maintainer } = await w.project()
    const { body } = await planner.post(`/projects/${id}/milestones`, { title: '1.0' })
    await w.member(groupId, maintainer, levels.guest)
    expect((await maintainer.post(promoted(id, body.id))).status).toBe(403)
    await w.member(groupId, planner, levels.planner)
    expect((await planner.post(promoted(id, body.id))).status).toBe(200)
  })

  test('refuses in a personal project, for an unknown one, and where a group has one of that title', async () => {
    const user = await w.user()
    const { body: personal } = await user.post('/projects', { name: 'Personal' })
    const { body: mine } = await user.post(`/projects/${personal.id}/milestones`, { title: '1.0' })
    const refused = await user.post(promoted(personal.id, mine.id))
    expect([refused.status, refused.body.message]).toEqual([
      400,
      '400 Bad request - The project is not in a group',
    ])
    expect((await user.post(promoted(personal.id, 999_999_999))).status).toBe(404)
    const group = await w.group()
    const { owner } = group
    const [one, other] = [await w.project({ parent: group.id }), await w.group({ parent: group.id })]
    const { body } = await owner.post(`/projects/${one.id}/milestones`, { title: '1.0' })
    await owner.post(`/groups/${other.id}/milestones`, { title: '1.0' })
    expect((await owner.post(promoted(one.id, body.id))).status).toBe(400)
    expect((await owner.get(`/projects/${one.id}/milestones/${body.id}`)).status).toBe(200)
  })

  test('of duplicates that are promoted at once, one becomes the group’s', async () => {
    const group = await w.group()
    const { owner } = group
    const requests: string[] = []
    for (let count = 0; count < 6; count += 1) {
      const { id } = await w.project({ parent: group.id })
      const { body } = await owner.post(`/projects/${id}/milestones`, { title: '1.0' })
      await owner.post(`/projects/${id}/issues`, { title: 'x', milestone_id: body.id })
      requests.push(promoted(id, body.id))
    }
    const answers = await Promise.all(requests.map((path) => owner.post(path)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 404, 404, 404, 404, 404,
    ])
    const [milestone] = (await owner.get(`/groups/${group.id}/milestones`)).body
    expect((await owner.get(`/groups/${group.id}/milestones/${milestone.id}/issues`)).body).toHaveLength(6)
  })
})

describe('GET /projects/:id/milestones/:milestone_id/issues', () => {
  test('lists the newest first, and only what the viewer may see', async () => {
    const p = await w.project({ visibility: 'public' })
    const { body: milestone } = await p.planner.post(`/projects/${p.id}/milestones`, { title: '1.0' })
    const path = `/projects/${p.id}/milestones/${milestone.id}/issues`
    for (const [title, confidential] of [
      ['one', false],
      ['secret', true],
      ['two', false],
    ]) {
      await p.planner.post(`/projects/${p.id}/issues`, { title, confidential, milestone_id: milestone.id })
    }
    await p.planner.post(`/projects/${p.id}/issues`, { title: 'without' })
    const seen = async (by: typeof p.anonymous) => {
      const answer = await by.get(path)
      return [answer.body.map(({ title }: { title: string }) => title), answer.headers.get('x-total')]
    }
    expect(await seen(p.planner)).toEqual([['two', 'secret', 'one'], '3'])
    expect(await seen(p.guest)).toEqual([['two', 'one'], '2'])
    expect(await seen(p.anonymous)).toEqual([['two', 'one'], '2'])
    expect((await p.guest.get(`${path}?per_page=1&page=2`)).body[0]).toMatchObject({
      title: 'one',
      references: { relative: '#1' },
      milestone: { id: milestone.id },
    })
    expect(await w.statements(() => p.guest.get(path))).toHaveLength(4)
    expect((await p.guest.get(`/projects/${p.id}/milestones/999999999/issues`)).status).toBe(404)
  })

  test('of a group lists those of all projects that the viewer may see', async () => {
    const group = await w.group({ visibility: 'public' })
    const { owner, stranger } = group
    const { body: milestone } = await owner.post(`/groups/${group.id}/milestones`, { title: '1.0' })
    for (const visibility of ['public', 'private'] as const) {
      const { id } = await w.project({ parent: group.id, visibility })
      await owner.post(`/projects/${id}/issues`, { title: visibility, milestone_id: milestone.id })
      if (visibility === 'public') {
        const hidden = { title: 'secret', confidential: true, milestone_id: milestone.id }
        await owner.post(`/projects/${id}/issues`, hidden)
      }
    }
    const closed = await w.project({ parent: group.id, visibility: 'public' })
    await owner.post(`/projects/${closed.id}/issues`, { title: 'members', milestone_id: milestone.id })
    await owner.put(`/projects/${closed.id}`, { issues_access_level: 'private' })
    const path = `/groups/${group.id}/milestones/${milestone.id}/issues`
    const seen = async (by: typeof w.anonymous) => {
      const answer = await by.get(path)
      return [answer.body.map(({ title }: { title: string }) => title), answer.headers.get('x-total')]
    }
    expect(await seen(owner)).toEqual([['members', 'private', 'secret', 'public'], '4'])
    expect(await seen(stranger)).toEqual([['public'], '1'])
    expect(await seen(w.anonymous)).toEqual([['public'], '1'])
    expect(await w.statements(() => stranger.get(path))).toHaveLength(4)
  })
})
