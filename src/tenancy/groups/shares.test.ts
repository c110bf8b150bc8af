import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'

const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)

describe('POST /groups/:id/share', () => {
  test('gives the members of a group at most that level there and below', async () => {
    const group = await w.group()
    const project = await w.project({ parent: group.id })
    const guests = await w.group({ visibility: 'public' })
    const shared = await group.owner.post(`/groups/${group.id}/share`, {
      group_id: guests.id,
      group_access: 20,
    })
    expect(shared.status).toBe(201)
    expect(shared.body.shared_with_groups).toEqual([
      {
        group_id: guests.id,
        group_name: guests.fullPath,
        group_full_path: guests.fullPath,
        group_access_level: 20,
        expires_at: null,
      },
    ])
    const label = { name: 'x', color: 'red' }
    expect((await guests.guest.post(`/projects/${project.id}/labels`, label)).status).toBe(403)
    expect((await guests.maintainer.post(`/projects/${project.id}/labels`, label)).status).toBe(201)
    expect(
      (await guests.maintainer.post('/groups', { name: 'x', path: 'x', parent_id: group.id })).status,
    ).toBe(403)
  })

  test('ends on its day, and when it is taken back', async () => {
    const group = await w.group()
    const guests = await w.group({ visibility: 'public' })
    w.clock.hold('2026-11-21T10:00:00Z')
    const share = { group_id: guests.id, group_access: 10, expires_at: '2026-11-23' }
    expect((await group.owner.post(`/groups/${group.id}/share`, share)).status).toBe(201)
    expect((await guests.guest.get(`/groups/${group.id}`)).status).toBe(200)
    w.clock.hold('2026-11-23T00:00:00Z')
    expect((await guests.guest.get(`/groups/${group.id}`)).status).toBe(404)
    expect((await group.owner.get(`/groups/${group.id}`)).body.shared_with_groups).toEqual([])
    const again = { ...share, expires_at: undefined }
    expect((await group.owner.post(`/groups/${group.id}/share`, again)).status).toBe(201)
    expect((await guests.guest.get(`/groups/${group.id}`)).status).toBe(200)
    expect((await group.owner.delete(`/groups/${group.id}/share/${guests.id}`)).status).toBe(204)
    expect((await guests.guest.get(`/groups/${group.id}`)).status).toBe(404)
    expect((await group.owner.delete(`/groups/${group.id}/share/${guests.id}`)).status).toBe(404)
  })

  test('refuses a second time, the group itself, one above, a past day and an unseen group', async () => {
    const group = await w.group()
    const inner = await w.group({ parent: group.id })
    const guests = await w.group({ visibility: 'public' })
    const hidden = await w.group()
    const share = async (id: number, group_id: number, more: object = {}) =>
      (await group.owner.post(`/groups/${id}/share`, { group_id, group_access: 30, ...more })).status
    expect(await share(group.id, guests.id)).toBe(201)
    expect(await share(group.id, guests.id)).toBe(409)
    expect(await share(group.id, group.id)).toBe(400)
    expect(await share(inner.id, group.id)).toBe(400)
    expect(await share(inner.id, guests.id, { expires_at: '2020-01-01' })).toBe(400)
    expect(await share(inner.id, guests.id, { group_access: 5 })).toBe(400)
    expect(await share(inner.id, guests.id, { member_role_id: 1 })).toBe(400)
    expect(await share(inner.id, hidden.id)).toBe(404)
    expect((await group.owner.post(`/groups/${group.id}/share`, {})).body.error).toBe(
      'group_id is missing, group_access is missing',
    )
  })

  test('a group can keep its hierarchy to itself', async () => {
    const group = await w.group()
    const inner = await w.group({ parent: group.id })
    const outside = await w.group({ visibility: 'public' })
    const inside = await w.group({ parent: group.id })
    await group.owner.put(`/groups/${group.id}`, { prevent_sharing_groups_outside_hierarchy: true })
    const share = async (group_id: number) =>
      (await group.owner.post(`/groups/${inner.id}/share`, { group_id, group_access: 30 })).status
    expect(await share(outside.id)).toBe(400)
    expect(await share(inside.id)).toBe(201)
  })
})

describe('GET /groups/:id/groups/shared and /invited_groups', () => {
  test('both directions, as far as the caller may see the groups', async () => {
    const top = await w.group({ visibility: 'public' })
    const group = await w.group({ parent: top.id, visibility: 'public' })
    const [open, closed] = [await w.group({ visibility: 'public' }), await w.group()]
    await w.root.post(`/groups/${group.id}/share`, { group_id: open.id, group_access: 30 })
    await w.root.post(`/groups/${top.id}/share`, { group_id: closed.id, group_access: 30 })
    const invited = async (by: typeof w.anonymous, query = '') =>
      idsOf((await by.get(`/groups/${group.id}/invited_groups${query}`)).body)
    expect(await invited(w.anonymous)).toEqual([open.id])
    expect(await invited(closed.guest)).toEqual([open.id, closed.id])
    expect(await invited(closed.guest, '?relation[]=direct')).toEqual([open.id])
    expect(await invited(closed.guest, '?relation=inherited')).toEqual([closed.id])
    expect(await invited(closed.guest, '?min_access_level=10')).toEqual([closed.id])
    const body = (await w.anonymous.get(`/groups/${group.id}/invited_groups`)).body
    expect(body).toEqual([{ id: open.id, web_url: `${w.url}/groups/${open.fullPath}`, name: open.fullPath }])
    const shared = async (by: typeof w.anonymous, id: number) =>
      idsOf((await by.get(`/groups/${id}/groups/shared`)).body)
    expect(await shared(w.anonymous, open.id)).toEqual([group.id])
    expect(await shared(closed.guest, closed.id)).toEqual([top.id])
    // The name of a private group is for its readers, and for those who run what it is invited to.
    const namesAt = async (by: typeof w.anonymous) =>
      (await by.get(`/groups/${top.id}`)).body.shared_with_groups.length
    expect(await namesAt(w.anonymous)).toBe(0)
    expect(await namesAt(top.developer)).toBe(0)
    expect(await namesAt(top.owner)).toBe(1)
  })
})
