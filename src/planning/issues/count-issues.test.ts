import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { type Actor, openWorld, w } from '#test/world.ts'

/** A public project with an open, a closed and a confidential issue, all by the planner. */
async function projectWithIssues() {
  const p = await w.project({ visibility: 'public' })
  for (const given of [{}, { confidential: true }, {}]) {
    await p.planner.post(`/projects/${p.id}/issues`, { title: 'x', ...given })
  }
  await p.planner.put(`/projects/${p.id}/issues/3`, { state_event: 'close' })
  return p
}

describe('open_issues_count of projects', () => {
  test('counts the open ones that the viewer may see, in lists and alone', async () => {
    const p = await projectWithIssues()
    const counts = async (by: typeof p.anonymous) => [
      (await by.get(`/projects/${p.id}`)).body.open_issues_count,
      (await by.get(`/groups/${p.groupId}/projects?simple=false`)).body[0].open_issues_count,
    ]
    expect(await counts(p.planner)).toEqual([2, 2])
    expect(await counts(p.admin)).toEqual([2, 2])
    expect(await counts(p.guest)).toEqual([1, 1])
    await p.planner.put(`/projects/${p.id}/issues/2`, { assignee_ids: [p.guest.id] })
    expect(await counts(p.guest)).toEqual([2, 2])
    expect(await counts(p.stranger)).toEqual([1, 1])
    expect((await p.guest.get(`/groups/${p.groupId}`)).body.projects[0].open_issues_count).toBe(2)
  })

  test('is zero where the issues of the project are closed to the viewer', async () => {
    const p = await projectWithIssues()
    const count = async (by: Actor) => (await by.get(`/projects/${p.id}`)).body.open_issues_count
    await p.owner.put(`/projects/${p.id}`, { issues_access_level: 'private' })
    expect([await count(p.stranger), await count(p.planner)]).toEqual([0, 2])
    await p.owner.put(`/projects/${p.id}`, { issues_access_level: 'disabled' })
    expect([await count(p.planner), await count(p.admin)]).toEqual([0, 0])
  })
})

describe('assigned_issues of /user_counts', () => {
  test('counts the open ones that can be worked on', async () => {
    const [p, user] = [await projectWithIssues(), await w.user()]
    const count = async () => (await user.get('/user_counts')).body.assigned_issues
    expect(await count()).toBe(0)
    for (const iid of [1, 2, 3]) {
      await p.planner.put(`/projects/${p.id}/issues/${iid}`, { assignee_ids: [user.id] })
    }
    expect(await count()).toBe(2)
    // Who asks, and all counts at once.
    expect(await w.statements(count)).toHaveLength(2)
    await p.owner.post(`/projects/${p.id}/archive`)
    expect(await count()).toBe(0)
    await p.owner.post(`/projects/${p.id}/unarchive`)
    expect(await count()).toBe(2)
    await p.owner.put(`/projects/${p.id}`, { visibility: 'private' })
    expect(await count()).toBe(0)
    await w.member(p.namespaceId, user, levels.guest)
    expect(await count()).toBe(2)
    await p.owner.delete(`/projects/${p.id}`)
    expect(await count()).toBe(0)
  })
})

describe('issues_count of /users/:id/associations_count', () => {
  test('counts what the user opened, as far as the viewer may see it', async () => {
    const p = await projectWithIssues()
    const path = `/users/${p.planner.id}/associations_count`
    const count = async (by: Actor) => (await by.get(path)).body.issues_count
    expect([await count(p.planner), await count(p.admin)]).toEqual([3, 3])
    await p.owner.put(`/projects/${p.id}`, { visibility: 'private' })
    await p.owner.delete(`/projects/${p.id}/members/${p.planner.id}`)
    expect([await count(p.planner), await count(p.admin)]).toEqual([0, 3])
    expect(await w.statements(() => count(p.admin))).toHaveLength(3)
  })
})

describe('/application/statistics', () => {
  test('counts issues, notes and milestones', async () => {
    // Its own, where nobody removes anything meanwhile.
    const own = await openWorld()
    const { id, planner } = await own.project()
    for (const title of ['one', 'two']) await planner.post(`/projects/${id}/issues`, { title })
    await planner.put(`/projects/${id}/issues/1`, { title: 'renamed' })
    for (const title of ['1.0', '2.0', '3.0']) await planner.post(`/projects/${id}/milestones`, { title })
    const { body } = await own.root.get('/application/statistics')
    expect(body).toMatchObject({ issues: '2', notes: '1', milestones: '3' })
    await own.running.stop()
  })
})
