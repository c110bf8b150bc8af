import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

const pathsOf = (body: { path: string }[]) => body.map(({ path }) => path)

describe('GET /groups/:id/subgroups and /descendant_groups', () => {
  test('what is right below, and what is anywhere below, as far as the caller may see it', async () => {
    const top = await w.group({ visibility: 'public' })
    const a = await w.group({ parent: top.id, path: 'a', visibility: 'public' })
    await w.group({ parent: top.id, path: 'b', visibility: 'private' })
    await w.group({ parent: a.id, path: 'aa', visibility: 'public' })
    await w.group({ parent: a.id, path: 'ab', visibility: 'private' })
    const list = async (by: typeof w.anonymous, what: string) =>
      pathsOf((await by.get(`/groups/${top.id}/${what}`)).body)
    expect(await list(top.guest, 'subgroups')).toEqual(['a', 'b'])
    expect(await list(top.stranger, 'subgroups')).toEqual(['a'])
    expect(await list(w.anonymous, 'descendant_groups')).toEqual(['a', 'aa'])
    expect(await list(top.guest, 'descendant_groups')).toEqual(['a', 'aa', 'ab', 'b'])
    expect(await list(top.guest, 'descendant_groups?search=b&sort=desc')).toEqual(['b', 'ab'])
    expect((await w.anonymous.get(`/groups/${top.id}/subgroups?pagination=keyset`)).status).toBe(405)
  })
})

describe('POST /groups/:id/transfer', () => {
  test('moves a group with all below it into another, no more visible than that', async () => {
    const group = await w.group({ visibility: 'public' })
    const child = await w.group({ parent: group.id, path: 'child', visibility: 'public' })
    const project = await w.project({ parent: child.id, path: 'deep', visibility: 'public' })
    const target = await w.group({ visibility: 'internal' })
    await w.member(target.id, group.owner, 40)
    const { status, body } = await group.owner.post(`/groups/${group.id}/transfer`, { group_id: target.id })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      parent_id: target.id,
      full_path: `${target.fullPath}/${group.fullPath}`,
      visibility: 'internal',
    })
    expect((await target.guest.get(`/groups/${child.id}`)).body).toMatchObject({
      full_path: `${target.fullPath}/${group.fullPath}/child`,
      visibility: 'internal',
    })
    expect((await w.anonymous.get(`/projects/${project.id}/labels`)).status).toBe(404)
    const old = encodeURIComponent(`${group.fullPath}/child`)
    expect((await group.owner.get(`/groups/${old}`)).status).toBe(301)
  })

  test('moves one to the top level, where its rights end that came from above', async () => {
    const top = await w.group()
    const group = await w.group({ parent: top.id, path: unique('inner') })
    const { body } = await group.owner.post(`/groups/${group.id}/transfer`)
    expect(body).toMatchObject({ parent_id: null, full_path: body.path })
    expect((await top.owner.get(`/groups/${group.id}`)).status).toBe(404)
  })

  test('refuses what cannot be', async () => {
    const top = await w.group()
    const inner = await w.group({ parent: top.id, path: 'inner' })
    const other = await w.group({ parent: top.id, path: 'other' })
    await w.group({ parent: other.id, path: 'inner' })
    const move = async (id: number, group_id?: number) => {
      const { status, body } = await top.owner.post(`/groups/${id}/transfer`, { group_id })
      return [status, body.message]
    }
    expect(await move(top.id, inner.id)).toEqual([
      400,
      'Transfer failed: A group cannot be moved into itself.',
    ])
    expect(await move(inner.id, inner.id)).toEqual([
      400,
      'Transfer failed: A group cannot be moved into itself.',
    ])
    expect(await move(inner.id, top.id)).toEqual([
      400,
      'Transfer failed: The group is in that group already.',
    ])
    expect(await move(top.id)).toEqual([400, 'Transfer failed: The group is at the top level already.'])
    expect(await move(inner.id, other.id)).toEqual([
      400,
      'Transfer failed: There is a group or project with the same path already.',
    ])
    expect(await move(inner.id, 999_999)).toEqual([404, '404 Group Not Found'])
  })

  test('needs the right to make subgroups there, or at the top level', async () => {
    const group = await w.group()
    const target = await w.group()
    const open = await w.group({ visibility: 'public' })
    const inner = await w.group({ parent: group.id, path: unique('inner') })
    const move = async (id: number, group_id?: number) =>
      (await group.owner.post(`/groups/${id}/transfer`, { group_id })).status
    expect(await move(group.id, target.id)).toBe(404)
    expect(await move(group.id, open.id)).toBe(403)
    await w.member(target.id, group.owner, 40)
    await w.root.put(`/groups/${target.id}`, { subgroup_creation_level: 'owner' })
    expect(await move(group.id, target.id)).toBe(403)
    await w.db
      .updateTable('users')
      .set({ can_create_group: false })
      .where('id', '=', group.owner.id)
      .execute()
    expect(await move(inner.id)).toBe(403)
  })
})

describe('GET /groups/:id/transfer_locations', () => {
  test('the groups where the caller may make subgroups, neither in it nor where it is', async () => {
    const top = await w.group()
    const inner = await w.group({ parent: top.id, path: unique('inner') })
    await w.group({ parent: inner.id, path: 'below' })
    const [one, two, strict] = [await w.group(), await w.group(), await w.group()]
    await w.member(one.id, top.owner, 40)
    await w.member(two.id, top.owner, 30)
    await w.member(strict.id, top.owner, 40)
    await w.root.put(`/groups/${strict.id}`, { subgroup_creation_level: 'owner' })
    const locations = await top.owner.get(`/groups/${inner.id}/transfer_locations`)
    expect(locations.body).toEqual([
      {
        id: one.id,
        web_url: `${w.url}/groups/${one.fullPath}`,
        name: one.fullPath,
        avatar_url: null,
        full_name: one.fullPath,
        full_path: one.fullPath,
      },
    ])
    const none = await top.owner.get(`/groups/${inner.id}/transfer_locations?search=nothing`)
    expect(none.body).toEqual([])
  })
})
