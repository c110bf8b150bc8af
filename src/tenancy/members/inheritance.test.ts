import { describe, expect, test } from 'vitest'
import type { MemberLevel } from '#platform/access/roles.ts'
import { shareWithGroup } from '#tenancy/shares/share-with-group.ts'
import { w } from '#test/world.ts'

/** top > middle > project, with nobody in any but their cast. */
async function tower() {
  const top = await w.group()
  const middle = await w.group({ parent: top.id })
  const project = await w.project({ parent: middle.id })
  return { top, middle, project }
}

const share = (namespaceId: number, groupId: number, accessLevel: MemberLevel) =>
  w.write((tx) => shareWithGroup(tx, { namespaceId, groupId, accessLevel }))

/** What `members/all` says of somebody, seen by an administrator; 0 when it does not know them. */
async function levelOf(user: { id: number }, at: string): Promise<number> {
  const { body } = await w.root.get(`${at}/members/all/${user.id}`)
  return body.access_level ?? 0
}

describe('levels', () => {
  test('come down the tree, the highest counts', async () => {
    const { top, middle, project } = await tower()
    const user = await w.user()
    await w.member(top.id, user, 10)
    expect(await levelOf(user, `/projects/${project.id}`)).toBe(10)
    await w.member(middle.id, user, 30)
    expect(await levelOf(user, `/groups/${top.id}`)).toBe(10)
    expect(await levelOf(user, `/groups/${middle.id}`)).toBe(30)
    expect(await levelOf(user, `/projects/${project.id}`)).toBe(30)
    expect((await user.get(`/projects/${project.id}/members/${user.id}`)).status).toBe(404)
    const { body } = await user.get(`/projects/${project.id}/members/all?query=${user.username}`)
    expect(body).toHaveLength(1)
  })

  test('come by invited groups, at most at the level of the invitation', async () => {
    const { top, middle, project } = await tower()
    const invited = await w.group()
    const inner = await w.group({ parent: invited.id })
    await share(project.namespaceId, inner.id, 20)
    expect(await levelOf(invited.owner, `/projects/${project.id}`)).toBe(20)
    expect(await levelOf(inner.guest, `/projects/${project.id}`)).toBe(10)
    await share(top.id, invited.id, 30)
    expect(await levelOf(invited.owner, `/projects/${project.id}`)).toBe(30)
    expect(await levelOf(invited.reporter, `/groups/${middle.id}`)).toBe(20)
    expect(await levelOf(inner.owner, `/groups/${middle.id}`)).toBe(0)
    const label = { name: 'x', color: 'red' }
    expect((await invited.owner.post(`/projects/${project.id}/labels`, label)).status).toBe(201)
    expect((await invited.guest.post(`/projects/${project.id}/labels`, label)).status).toBe(403)
  })

  test('an invitation does not lead on to what its group is invited to', async () => {
    const { project } = await tower()
    const [near, far] = [await w.group(), await w.group()]
    await share(project.namespaceId, near.id, 30)
    await share(near.id, far.id, 50)
    expect((await far.owner.get(`/groups/${near.id}`)).status).toBe(200)
    expect((await far.owner.get(`/projects/${project.id}/labels`)).status).toBe(404)
  })

  test('end on the day of the membership that gave them, anywhere in the chain', async () => {
    const { top, project } = await tower()
    const invited = await w.group()
    await share(top.id, invited.id, 30)
    w.clock.hold('2026-11-21T10:00:00Z')
    const user = await w.user()
    await invited.owner.post(`/groups/${invited.id}/members`, {
      user_id: user.id,
      access_level: 40,
      expires_at: '2026-11-22',
    })
    expect((await user.get(`/projects/${project.id}/labels`)).status).toBe(200)
    expect(await levelOf(user, `/projects/${project.id}`)).toBe(30)
    w.clock.hold('2026-11-22T00:00:00Z')
    expect((await user.get(`/projects/${project.id}/labels`)).status).toBe(404)
    expect(await levelOf(user, `/projects/${project.id}`)).toBe(0)
  })

  test('the private groups above a place are seen by its members, and not what is beside it', async () => {
    const { top, middle, project } = await tower()
    const beside = await w.group({ parent: top.id })
    expect((await project.guest.get(`/groups/${top.id}`)).status).toBe(200)
    expect((await project.guest.get(`/groups/${middle.id}`)).status).toBe(200)
    expect((await project.guest.get(`/groups/${beside.id}`)).status).toBe(404)
    const seen = await project.guest.get('/groups?all_available=false&order_by=id')
    expect(seen.body.map(({ id }: { id: number }) => id)).toEqual([top.id, middle.id])
    expect(seen.headers.get('x-total')).toBe('2')
  })

  test('a blocked user has none, and is still listed', async () => {
    const { project } = await tower()
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', project.owner.id).execute()
    expect((await project.owner.get(`/projects/${project.id}/labels`)).status).toBe(403)
    const { body } = await project.guest.get(`/projects/${project.id}/members/${project.owner.id}`)
    expect(body.state).toBe('blocked')
  })
})

describe('what is given below', () => {
  test('is at least what is inherited', async () => {
    const { top, middle } = await tower()
    const path = `/groups/${middle.id}/members`
    const low = await top.owner.post(path, { user_id: top.developer.id, access_level: 20 })
    expect(low.status).toBe(400)
    expect(low.body).toEqual({
      message: {
        access_level: [
          `should be greater than or equal to Developer inherited membership from group ${top.fullPath}`,
        ],
      },
    })
    expect((await top.owner.post(path, { user_id: top.developer.id, access_level: 30 })).status).toBe(201)
    expect((await top.owner.put(`${path}/${top.developer.id}`, { access_level: 10 })).status).toBe(400)
    const several = { user_id: `${top.owner.id},${top.guest.id}`, access_level: 20 }
    expect((await top.owner.post(path, several)).body).toEqual({
      status: 'error',
      message: { [top.owner.username]: expect.stringContaining('should be greater than') },
    })
  })

  test('ends with what is above, unless it is to stay', async () => {
    const { top, middle, project } = await tower()
    const [gone, stays] = [await w.user(), await w.user()]
    for (const user of [gone, stays]) {
      for (const id of [top.id, middle.id, project.namespaceId]) await w.member(id, user, 30)
    }
    await top.owner.delete(`/groups/${top.id}/members/${gone.id}`)
    await top.owner.delete(`/groups/${top.id}/members/${stays.id}?skip_subresources=true`)
    expect((await gone.get(`/projects/${project.id}/labels`)).status).toBe(404)
    expect((await stays.get(`/projects/${project.id}/labels`)).status).toBe(200)
  })

  test('a group can lock the members of its projects', async () => {
    const { top, project, middle } = await tower()
    await top.owner.put(`/groups/${top.id}`, { membership_lock: true })
    const user = await w.user()
    const terms = { user_id: user.id, access_level: 20 }
    expect((await top.owner.post(`/projects/${project.id}/members`, terms)).status).toBe(403)
    expect((await top.owner.post(`/groups/${middle.id}/members`, terms)).status).toBe(201)
  })
})

describe('members of invited groups', () => {
  test('are listed for those who may see the group', async () => {
    const { project } = await tower()
    const hidden = await w.group()
    await share(project.namespaceId, hidden.id, 30)
    const all = async (by: typeof w.root) =>
      (await by.get(`/projects/${project.id}/members/all?per_page=100`)).body.map(
        ({ id }: { id: number }) => id,
      )
    expect(await all(project.guest)).not.toContain(hidden.developer.id)
    expect(await all(hidden.guest)).toContain(hidden.developer.id)
    expect(await all(w.root)).toContain(hidden.developer.id)
    const total = (await project.guest.get(`/projects/${project.id}/members/all`)).headers.get('x-total')
    expect(Number(total)).toBe((await all(project.guest)).length)
  })
})
