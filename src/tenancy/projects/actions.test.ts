import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { unique, w } from '#test/world.ts'

const pathOf = (fullPath: string) => fullPath.split('/').at(-1) ?? ''

describe('a former path of a project', () => {
  test('leads on after a rename, for reads and below it', async () => {
    const { id, encoded, owner, guest, groupId } = await w.project()
    await owner.put(`/projects/${id}`, { path: unique('renamed'), name: 'Renamed' })
    for (const rest of ['', '/labels', '/labels?search=a%26b']) {
      const location = `${w.url}/api/v4/projects/${id}${rest}`
      const get = await guest.get(`/projects/${encoded}${rest}`)
      expect([get.status, get.headers.get('location')]).toEqual([301, location])
      expect(get.text).toBe(`This resource has been moved permanently to ${location}`)
      const head = await guest.head(`/projects/${encoded}${rest}`)
      expect([head.status, head.headers.get('location'), head.text]).toEqual([301, location, ''])
    }
    expect(
      (await guest.get((await guest.get(`/projects/${encoded}`)).headers.get('location') ?? '')).body.id,
    ).toBe(id)
    // The old path is free, and then leads to what is there.
    const other = await w.project({ parent: groupId, path: pathOf(decodeURIComponent(encoded)) })
    expect((await owner.get(`/projects/${encoded}`)).status).toBe(404)
    expect((await other.guest.get(`/projects/${encoded}`)).body.id).toBe(other.id)
  })

  test('refuses every write, which clients would repeat as a read at the new path', async () => {
    const { id, encoded, owner, anonymous, stranger, guest } = await w.project()
    await owner.put(`/projects/${id}`, { path: unique('renamed') })
    const refusal = [405, { message: 'Non GET methods are not allowed for moved projects' }, null]
    const old = `/projects/${encoded}`
    for (const { status, body, headers } of [
      await owner.put(old, { name: 'x' }),
      await owner.post(`${old}/labels`, { name: 'new', color: 'red' }),
      await owner.post(`${old}/issues`, { title: 'Lost' }),
      await owner.patch(`${old}/error_tracking/settings`, { active: true }),
      await guest.delete(old),
    ]) {
      expect([status, body, headers.get('location')]).toEqual(refusal)
    }
    expect((await owner.get(`/projects/${id}`)).body.name).not.toBe('x')
    expect((await owner.get(`/projects/${id}/labels`)).body).toEqual([])
    expect((await stranger.delete(old)).status).toBe(404)
    expect((await anonymous.delete(old)).status).toBe(401)
  })

  test('leads nobody on who may not read what is there', async () => {
    const { id, encoded, owner, stranger, anonymous } = await w.project()
    await owner.put(`/projects/${id}`, { path: unique('renamed') })
    for (const client of [stranger, anonymous]) {
      const { status, text, headers } = await client.get(`/projects/${encoded}/labels`)
      expect([status, text]).toEqual([404, '{"message":"404 Project Not Found"}'])
      expect(headers.get('location')).toBeNull()
    }
  })
})

describe('POST /projects/:id/archive and /unarchive', () => {
  test('make it read-only and writable again; twice is once', async () => {
    const { id, owner, maintainer } = await w.project()
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await owner.post(`/projects/${id}/archive`)
      expect([status, body.archived]).toEqual([201, true])
    }
    const label = { name: 'bug', color: 'red' }
    expect((await maintainer.post(`/projects/${id}/labels`, label)).status).toBe(403)
    expect((await owner.post(`/projects/${id}/unarchive`)).body.archived).toBe(false)
    expect((await maintainer.post(`/projects/${id}/labels`, label)).status).toBe(201)
    expect((await maintainer.post(`/projects/${id}/archive`)).status).toBe(403)
  })
})

describe('POST /projects/:id/star and /unstar', () => {
  test('count each person once', async () => {
    const { id, stranger, guest } = await w.project({ visibility: 'public' })
    expect((await stranger.post(`/projects/${id}/star`)).body.star_count).toBe(1)
    const again = await stranger.post(`/projects/${id}/star`)
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await guest.post(`/projects/${id}/star`)).body.star_count).toBe(2)
    expect((await stranger.post(`/projects/${id}/unstar`)).body.star_count).toBe(1)
    expect((await stranger.post(`/projects/${id}/unstar`)).status).toBe(304)
  })

  test('count right when many come at once', async () => {
    const place = await w.project({ visibility: 'public' })
    const fans = [place.guest, place.planner, place.reporter, place.developer, place.stranger]
    const star = `/projects/${place.id}/star`
    const answers = await Promise.all(fans.flatMap((fan) => [fan.post(star), fan.post(star)]))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(fans.length)
    expect((await place.guest.get(`/projects/${place.id}`)).body.star_count).toBe(fans.length)
    const starrers = await place.guest.get(`/projects/${place.id}/starrers`)
    expect(starrers.body).toHaveLength(fans.length)
    expect(starrers.body[0]).toMatchObject({
      starred_since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      user: { state: 'active' },
    })
    const found = await place.guest.get(`/projects/${place.id}/starrers?search=${place.guest.username}`)
    expect(found.body.map(({ user }: { user: { id: number } }) => user.id)).toEqual([place.guest.id])
  })
})

describe('PUT /projects/:id/transfer', () => {
  test('moves it, by id or path of the namespace, and the old path leads on', async () => {
    const { id, encoded, owner, fullPath } = await w.project({ visibility: 'public' })
    const group = await w.group()
    await w.member(group.id, owner, levels.maintainer)
    const { status, body } = await owner.put(`/projects/${id}/transfer`, { namespace: group.fullPath })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      path_with_namespace: `${group.fullPath}/${pathOf(fullPath)}`,
      namespace: { id: group.id },
      // The new group is private.
      visibility: 'private',
    })
    const moved = await owner.get(`/projects/${encoded}/labels`)
    expect([moved.status, moved.headers.get('location')]).toEqual([
      301,
      `${w.url}/api/v4/projects/${id}/labels`,
    ])
    expect((await w.anonymous.get(`/projects/${encoded}`)).status).toBe(404)
    expect((await owner.get(`/projects/${id}`)).body.name_with_namespace).toMatch(/^group-\d+ \/ /)
  })

  test('makes the owner of a personal namespace an owner', async () => {
    const { id, owner, groupId } = await w.project()
    await w.member(groupId, owner, levels.guest)
    const { body } = await owner.put(`/projects/${id}/transfer`, { namespace: owner.username })
    expect(body.owner.id).toBe(owner.id)
    await w.db.deleteFrom('members').where('namespace_id', '=', groupId).execute()
    expect((await owner.get(`/projects/${id}`)).body.permissions.project_access.access_level).toBe(50)
  })

  test('needs rights on both sides', async () => {
    const { id, owner, maintainer, groupId } = await w.project()
    const group = await w.group()
    await w.member(group.id, maintainer, levels.owner)
    const into = (by: typeof owner, namespace: unknown) => by.put(`/projects/${id}/transfer`, { namespace })
    expect((await into(maintainer, group.id)).status).toBe(403)
    expect((await into(owner, group.id)).body.message).toBe('404 Namespace Not Found')
    await w.member(group.id, owner, levels.reporter)
    expect((await into(owner, group.id)).status).toBe(403)
    expect((await into(owner, groupId)).status).toBe(403)
    expect((await into(w.root, groupId)).status).toBe(400)
    expect((await into(owner, undefined)).body.error).toBe('namespace is missing')
  })

  test('refuses a place where the path is taken', async () => {
    const { id, fullPath } = await w.project()
    const group = await w.group()
    await w.project({ parent: group.id, path: pathOf(fullPath) })
    const { status, body } = await w.root.put(`/projects/${id}/transfer`, { namespace: group.id })
    expect(status).toBe(400)
    expect(body.message).toHaveProperty('path', ['has already been taken'])
  })

  test('offers the groups where one may make projects', async () => {
    const { id, owner, groupId } = await w.project()
    const [developing, reporting, closed] = [await w.group(), await w.group(), await w.group()]
    await w.member(groupId, owner, levels.owner)
    await w.member(developing.id, owner, levels.developer)
    await w.member(reporting.id, owner, levels.reporter)
    await w.member(closed.id, owner, levels.owner)
    const settings = JSON.stringify({ project_creation_level: 'noone' })
    await w.db.updateTable('namespaces').set({ settings }).where('id', '=', closed.id).execute()
    const { body } = await owner.get(`/projects/${id}/transfer_locations`)
    expect(body.map((group: { id: number }) => group.id)).toEqual([developing.id])
    expect((await owner.get(`/projects/${id}/transfer_locations?search=nothing-like-it`)).body).toEqual([])
  })
})

describe('POST /groups/:id/projects/:project_id', () => {
  test('moves a project into a group, for administrators', async () => {
    const { id, encoded, owner } = await w.project()
    const group = await w.group()
    await owner.put(`/projects/${id}`, { path: unique('renamed') })
    const { status, body } = await w.root.post(`/groups/${group.id}/projects/${encoded}`)
    expect(status).toBe(201)
    expect(body.projects[0].id).toBe(id)
    await w.member(group.id, owner, levels.owner)
    expect((await owner.post(`/groups/${group.id}/projects/${id}`)).status).toBe(403)
  })
})

describe('sharing a project', () => {
  test('lets members of a group in, at most at the level that was given', async () => {
    const { id, maintainer } = await w.project()
    const group = await w.group({ visibility: 'public' })
    const share = { group_id: group.id, group_access: 20, expires_at: '2999-01-01' }
    const { status, body } = await maintainer.post(`/projects/${id}/share`, share)
    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(Number), project_id: id, ...share })
    expect((await maintainer.post(`/projects/${id}/share`, share)).status).toBe(409)
    const seen = await group.developer.get(`/projects/${id}`)
    expect(seen.body).toMatchObject({
      permissions: { project_access: null, group_access: { access_level: 20 } },
      shared_with_groups: [
        {
          group_id: group.id,
          group_full_path: group.fullPath,
          group_access_level: 20,
          expires_at: '2999-01-01',
        },
      ],
    })
    expect((await maintainer.delete(`/projects/${id}/share/${group.id}`)).status).toBe(204)
    expect((await maintainer.delete(`/projects/${id}/share/${group.id}`)).status).toBe(404)
    expect((await group.developer.get(`/projects/${id}`)).status).toBe(404)
  })

  test('needs a group that one sees, and no more rights than one has', async () => {
    const { id, maintainer, developer } = await w.project()
    const [open, hidden] = [await w.group({ visibility: 'public' }), await w.group()]
    const share = (by: typeof maintainer, group_id: unknown, group_access: unknown) =>
      by.post(`/projects/${id}/share`, { group_id, group_access })
    expect((await share(maintainer, hidden.id, 10)).body.message).toBe('404 Group Not Found')
    expect((await share(maintainer, open.id, 50)).status).toBe(403)
    expect((await share(developer, open.id, 10)).status).toBe(403)
    expect((await share(maintainer, open.id, 11)).body.error).toBe('group_access does not have a valid value')
    expect((await share(maintainer, undefined, undefined)).body.error).toBe(
      'group_id is missing, group_access is missing',
    )
  })

  test('shows invited groups to those who may see them, and to maintainers', async () => {
    const { id, maintainer, guest } = await w.project()
    const hidden = await w.group()
    await w.root.post(`/projects/${id}/share`, { group_id: hidden.id, group_access: 10 })
    const shares = async (by: typeof guest) =>
      (await by.get(`/projects/${id}`)).body.shared_with_groups.length
    expect([await shares(guest), await shares(maintainer), await shares(hidden.guest)]).toEqual([0, 1, 1])
    const invited = async (by: typeof guest) => (await by.get(`/projects/${id}/invited_groups`)).body.length
    expect([await invited(guest), await invited(hidden.guest)]).toEqual([0, 1])
  })
})

describe('who is around a project', () => {
  test('users: members of it and of groups above and invited, once each', async () => {
    const { id, groupId, guest, developer, stranger } = await w.project()
    const group = await w.group()
    await w.member(groupId, stranger, levels.guest)
    await w.member(group.id, guest, levels.owner)
    await w.root.post(`/projects/${id}/share`, { group_id: group.id, group_access: 10 })
    const { body } = await guest.get(`/projects/${id}/users?per_page=100`)
    const found = body.map((user: { id: number }) => user.id)
    expect(new Set(found).size).toBe(found.length)
    expect(found).toHaveLength(7 + 1 + 7)
    const rest = `?search=${developer.username}&skip_users[]=${stranger.id}`
    expect((await guest.get(`/projects/${id}/users${rest}`)).body).toMatchObject([{ id: developer.id }])
    expect((await guest.get(`/projects/${id}/users?skip_users=${found.join(',')}`)).body).toEqual([])
  })

  test('groups: those above and, as asked, those invited', async () => {
    const { id, groupId, admin } = await w.project()
    const group = await w.group()
    await admin.post(`/projects/${id}/share`, { group_id: group.id, group_access: 10 })
    const list = async (query: string) =>
      (await admin.get(`/projects/${id}/groups?${query}`)).body
        .map((one: { id: number }) => one.id)
        .toSorted((a: number, b: number) => a - b)
    expect(await list('')).toEqual([groupId])
    expect(await list('with_shared=true')).toEqual(
      [groupId, group.id].toSorted((a: number, b: number) => a - b),
    )
    expect(await list('with_shared=true&shared_min_access_level=20')).toEqual([groupId])
    expect(await list(`with_shared=true&skip_groups=${groupId}`)).toEqual([group.id])
  })
})
