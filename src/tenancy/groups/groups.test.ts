import { describe, expect, test } from 'vitest'
import { linkTo } from '#test/client.ts'
import { giveBranches } from '#test/repositories.ts'
import { unique, w } from '#test/world.ts'

const pathsOf = (body: { path: string }[]) => body.map(({ path }) => path)

/** Groups whose names begin alike, so that a search finds these alone. */
async function family(count: number, visibility: 'public' | 'private' = 'public') {
  const name = unique('family')
  const groups = []
  for (let index = 0; index < count; index += 1) {
    groups.push(await w.group({ path: `${name}-${String.fromCharCode(97 + index)}`, visibility }))
  }
  return { name, groups }
}

describe('GET /groups', () => {
  test('shows everybody what is public, members what is theirs, and administrators all', async () => {
    const { name, groups } = await family(1, 'private')
    const open = await w.group({ path: `${name}-open`, visibility: 'public' })
    const internal = await w.group({ path: `${name}-within`, visibility: 'internal' })
    const external = await w.user({ external: true })
    const seenBy = async (by: typeof w.anonymous) => pathsOf((await by.get(`/groups?search=${name}`)).body)
    expect(await seenBy(w.anonymous)).toEqual([`${name}-open`])
    expect(await seenBy(external)).toEqual([`${name}-open`])
    expect(await seenBy(open.stranger)).toEqual([`${name}-open`, `${name}-within`])
    expect(await seenBy(groups[0]?.guest ?? w.anonymous)).toEqual([
      `${name}-a`,
      `${name}-open`,
      `${name}-within`,
    ])
    expect(await seenBy(w.root)).toHaveLength(3)
    expect(internal.id).toBeGreaterThan(open.id)
  })

  test('counts no more than it shows', async () => {
    const { name } = await family(2, 'private')
    const { headers } = await w.anonymous.get(`/groups?search=${name}`)
    expect(headers.get('x-total')).toBe('0')
  })

  test('filters by what the caller has there', async () => {
    const { name, groups } = await family(3)
    const user = await w.user()
    await w.member(groups[0]?.id ?? 0, user, 50)
    await w.member(groups[1]?.id ?? 0, user, 20)
    const list = async (filter: string) =>
      pathsOf((await user.get(`/groups?search=${name}&${filter}`)).body).map((path) => path.at(-1))
    expect(await list('')).toEqual(['a', 'b', 'c'])
    expect(await list('owned=true')).toEqual(['a'])
    expect(await list('min_access_level=20')).toEqual(['a', 'b'])
    expect(await list('min_access_level=30')).toEqual(['a'])
    expect(await list('all_available=false')).toEqual(['a', 'b'])
    expect(await list('all_available=true')).toEqual(['a', 'b', 'c'])
    expect(await list(`skip_groups=${groups[0]?.id},${groups[2]?.id}`)).toEqual(['b'])
    expect(await list(`skip_groups[]=${groups[1]?.id}`)).toEqual(['a', 'c'])
  })

  test('filters by what the groups are', async () => {
    const { name, groups } = await family(2)
    const id = groups[0]?.id ?? 0
    await w.group({ parent: id, path: `${name}-child`, visibility: 'private' })
    const list = async (filter: string) =>
      pathsOf((await w.root.get(`/groups?search=${name}&${filter}`)).body).map((path) =>
        path.split('-').at(-1),
      )
    expect(await list('top_level_only=true')).toEqual(['a', 'b'])
    expect(await list('visibility=private')).toEqual(['child'])
    await w.root.post(`/groups/${id}/archive`)
    expect(await list('archived=true')).toEqual(['a'])
    expect(await list('archived=false')).toEqual(['b', 'child'])
    expect(await list('active=true')).toEqual(['b'])
    expect(await list('active=false')).toEqual(['a', 'child'])
    expect(await list('marked_for_deletion_on=2026-01-01')).toEqual([])
    expect(await list('repository_storage=default')).toHaveLength(3)
    expect(await list('repository_storage=other')).toEqual([])
  })

  test('orders by name, path, id and times, and by likeness to what is searched', async () => {
    const { name } = await family(3)
    await w.group({ path: name, visibility: 'public' })
    const list = async (order: string) =>
      pathsOf((await w.anonymous.get(`/groups?search=${name}&${order}`)).body)
    expect(await list('sort=desc')).toEqual([`${name}-c`, `${name}-b`, `${name}-a`, name])
    expect((await list('order_by=id&sort=desc'))[0]).toBe(name)
    expect(await list('order_by=path')).toEqual(await list(''))
    expect(await list('order_by=created_at')).toHaveLength(4)
    expect(await list('order_by=updated_at')).toHaveLength(4)
    expect((await list('order_by=similarity'))[0]).toBe(name)
    expect((await list('order_by=similarity&sort=desc'))[0]).toBe(name)
    expect((await w.anonymous.get('/groups?order_by=similarity')).status).toBe(400)
    expect((await w.anonymous.get('/groups?order_by=size')).status).toBe(400)
  })

  test('offers pages by key to callers without credentials, by name upwards', async () => {
    const { name } = await family(3)
    const found = []
    let next: string | undefined =
      `/groups?search=${name}&pagination=keyset&order_by=name&sort=asc&per_page=2`
    while (next !== undefined) {
      const answer = await w.anonymous.get(next)
      found.push(...pathsOf(answer.body))
      next = linkTo('next', answer)
    }
    expect(found).toEqual([`${name}-a`, `${name}-b`, `${name}-c`])
    const user = await w.user()
    const status = async (by: typeof w.anonymous, query: string) =>
      (await by.get(`/groups?pagination=keyset&${query}`)).status
    expect(await status(user, 'order_by=name&sort=asc')).toBe(405)
    expect(await status(w.anonymous, 'order_by=name&sort=desc')).toBe(405)
    expect(await status(w.anonymous, 'order_by=id&sort=asc')).toBe(405)
  })

  test('gives statistics to administrators who ask', async () => {
    const { name, groups } = await family(1)
    const get = async (by: typeof w.anonymous) =>
      (await by.get(`/groups?search=${name}&statistics=true&with_custom_attributes=true`)).body[0]
    expect(await get(w.root)).toMatchObject({ statistics: { storage_size: 0 }, custom_attributes: [] })
    const inner = await w.group({ parent: groups[0]?.id ?? 0 })
    const project = await w.project({ parent: inner.id })
    await giveBranches(project)
    await project.developer.post(`/projects/${project.id}/wikis`, { title: 'a', content: 'a' })
    const { statistics } = (await w.root.get(`/projects/${project.id}?statistics=true`)).body
    const { repository_size, wiki_size, storage_size } = statistics
    expect(repository_size).toBeGreaterThan(0)
    expect((await get(w.root)).statistics).toMatchObject({ repository_size, wiki_size, storage_size })
    expect(await get(groups[0]?.owner ?? w.root)).not.toHaveProperty('statistics')
  })

  test('takes two statements, whatever the page', async () => {
    const { name, groups } = await family(4)
    const sent = await w.statements(() => (groups[0]?.guest ?? w.root).get(`/groups?search=${name}`))
    expect(sent).toHaveLength(2)
  })
})

describe('GET /groups/:id', () => {
  test('by id and by path, with what clients look for', async () => {
    const { id, fullPath, encoded, guest, owner } = await w.group({ visibility: 'public' })
    const byId = await guest.get(`/groups/${id}`)
    expect(byId.body).toMatchObject({
      id,
      web_url: `${w.url}/groups/${fullPath}`,
      full_path: fullPath,
      parent_id: null,
      organization_id: 1,
      description: '',
      project_creation_level: 'developer',
      subgroup_creation_level: 'maintainer',
      emails_disabled: false,
      emails_enabled: true,
      default_branch_protection: 2,
      default_branch_protection_defaults: { allowed_to_push: [{ access_level: 40 }] },
      marked_for_deletion_on: null,
      shared_with_groups: [],
      projects: [],
      shared_projects: [],
    })
    expect(byId.body).not.toHaveProperty('runners_token')
    expect((await owner.get(`/groups/${id}`)).body.runners_token).toBeNull()
    expect((await w.anonymous.get(`/groups/${encoded}`)).body.id).toBe(id)
    const alone = await w.anonymous.get(`/groups/${id}?with_projects=false`)
    expect(alone.body).not.toHaveProperty('projects')
    expect(await w.statements(() => guest.get(`/groups/${id}?with_projects=false`))).toHaveLength(2)
  })

  test('a private group is not there for others', async () => {
    const { id, encoded, stranger } = await w.group()
    expect((await stranger.get(`/groups/${id}`)).body).toEqual({ message: '404 Group Not Found' })
    expect((await w.anonymous.get(`/groups/${encoded}`)).status).toBe(404)
  })
})

describe('POST /groups', () => {
  test('makes a top-level group that its maker owns, private unless said', async () => {
    const user = await w.user()
    const path = unique('made')
    const { status, body } = await user.post('/groups', {
      name: 'Café (1.0) – no',
      path,
      description: 'about',
    })
    expect(status).toBe(400)
    expect(body.message).toMatch(/^Failed to save group \{:name=>\["can contain only/)
    const made = await user.post('/groups', { name: 'Café (1.0) 🚀', path, description: 'about' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      path,
      name: 'Café (1.0) 🚀',
      visibility: 'private',
      description: 'about',
    })
    const members = await user.get(`/groups/${made.body.id}/members`)
    expect(members.body).toMatchObject([{ id: user.id, access_level: 50 }])
  })

  test('makes a subgroup, at most as visible as its parent', async () => {
    const { id, fullPath, owner } = await w.group({ visibility: 'internal' })
    const path = unique('sub')
    const child = await owner.post('/groups', { name: 'Sub', path, parent_id: id, visibility: 'internal' })
    expect(child.body).toMatchObject({ parent_id: id, full_path: `${fullPath}/${path}` })
    expect(child.body.full_name).toBe(`${fullPath} / Sub`)
    const wide = await owner.post('/groups', {
      name: 'x',
      path: unique('sub'),
      parent_id: id,
      visibility: 'public',
    })
    expect(wide.status).toBe(400)
    expect(wide.body.message).toBe(
      'Failed to save group {:visibility_level=>["public is not allowed since the parent is internal"]}',
    )
  })

  test('refuses a path that is taken, in any case of its letters, or that cannot be one', async () => {
    const { fullPath } = await w.group()
    const user = await w.user()
    const ask = async (path: string) => (await user.post('/groups', { name: 'x', path })).body.message
    const taken = 'Failed to save group {:path=>["has already been taken"]}'
    expect(await ask(fullPath)).toBe(taken)
    expect(await ask(fullPath.toUpperCase())).toBe(taken)
    expect(await ask(user.username)).toBe(taken)
    for (const path of ['api', '123', '-x', 'x.git', 'a b', 'a/b']) {
      expect(await ask(path)).toMatch(/^Failed to save group \{:path=>\[/)
    }
    const long = { name: 'x', path: 'x'.repeat(256) }
    expect((await user.post('/groups', long)).body.error).toBe('path is too long (maximum is 255 characters)')
    expect((await user.post('/groups', { name: 'x' })).body.error).toBe('path is missing')
    expect((await user.post('/groups', { name: ' ', path: 'x' })).body.error).toBe('name is empty')
    expect((await user.post('/groups', { name: 'x', path: 'y', parent_id: 'z' })).status).toBe(400)
  })

  test('is a right that some users do not have', async () => {
    const user = await w.user({ canCreateGroup: false })
    const path = unique('none')
    expect((await user.post('/groups', { name: 'x', path })).status).toBe(403)
    expect((await w.anonymous.post('/groups', { name: 'x', path })).status).toBe(401)
    const group = await w.group()
    await w.member(group.id, user, 40)
    expect((await user.post('/groups', { name: 'x', path, parent_id: group.id })).status).toBe(201)
  })

  test('a parent says who makes subgroups in it', async () => {
    const { id, owner, maintainer, developer, stranger } = await w.group()
    const ask = async (by: typeof owner) =>
      (await by.post('/groups', { name: 'x', path: unique('sub'), parent_id: id })).status
    expect(await ask(developer)).toBe(403)
    expect(await ask(stranger)).toBe(404)
    expect(await ask(maintainer)).toBe(201)
    await owner.put(`/groups/${id}`, { subgroup_creation_level: 'owner' })
    expect(await ask(maintainer)).toBe(403)
    expect(await ask(owner)).toBe(201)
  })

  test('knows one organization, and rations for administrators alone', async () => {
    const user = await w.user()
    const ask = (more: object) => user.post('/groups', { name: 'x', path: unique('group'), ...more })
    expect((await ask({ organization_id: 1 })).status).toBe(201)
    expect((await ask({ organization_id: 987_654_321 })).body.message).toBe('404 Organization Not Found')
    expect((await ask({ shared_runners_minutes_limit: 5 })).status).toBe(403)
  })
})

describe('the settings of the instance', () => {
  test('say how visible a group is by itself, and what only administrators make so', async () => {
    const user = await w.user()
    const parent = await w.group({ visibility: 'internal' })
    await w.member(parent.id, user, 50)
    const make = async (by: typeof user, more: object = {}) => {
      const { body } = await by.post('/groups', { name: 'x', path: unique('group'), ...more })
      return body.visibility ?? body.message
    }
    const set = (settings: object) => w.root.put('/application/settings', settings)
    await set({ default_group_visibility: 'public', restricted_visibility_levels: ['internal'] })
    try {
      expect(await make(user)).toBe('public')
      expect(await make(user, { visibility: 'internal' })).toContain('internal has been restricted')
      expect(await make(user, { parent_id: parent.id })).toContain('internal has been restricted')
      expect(await make(w.root, { parent_id: parent.id })).toBe('internal')
      const { body } = await user.put(`/groups/${parent.id}`, { visibility: 'internal', name: 'same' })
      expect(body.name).toBe('same')
    } finally {
      await set({ default_group_visibility: 'private', restricted_visibility_levels: [] })
    }
  })
})

describe('PUT /groups/:id', () => {
  test('keeps every setting, under both of its names', async () => {
    const { id, owner } = await w.group()
    const changed = await owner.put(`/groups/${id}`, {
      name: 'Renamed',
      description: null,
      emails_disabled: true,
      default_branch_protection: 1,
      lfs_enabled: true,
      default_branch: 'trunk',
      max_artifacts_size: 5,
      membership_lock: true,
      duo_availability: 'never_on',
      ip_restriction_ranges: '10.0.0.0/8, 127.0.0.0/8',
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      name: 'Renamed',
      full_name: 'Renamed',
      description: '',
      emails_disabled: true,
      emails_enabled: false,
      default_branch_protection: 1,
      lfs_enabled: true,
      default_branch: 'trunk',
      max_artifacts_size: 5,
      membership_lock: true,
      ip_restriction_ranges: '10.0.0.0/8,127.0.0.0/8',
    })
    const part = { default_branch_protection_defaults: { allow_force_push: true }, default_branch: null }
    expect((await owner.put(`/groups/${id}`, part)).body).toMatchObject({
      default_branch: null,
      default_branch_protection: 0,
      default_branch_protection_defaults: { allow_force_push: true, allowed_to_push: [{ access_level: 30 }] },
      lfs_enabled: true,
    })
  })

  test('a new path is that of everything below, and the old ones lead on', async () => {
    const { id, fullPath, owner, stranger } = await w.group()
    const child = await w.group({ parent: id, path: 'child' })
    const project = await w.project({ parent: child.id, path: 'deep' })
    const path = unique('moved')
    expect((await owner.put(`/groups/${id}`, { path })).body.full_path).toBe(path)
    expect((await owner.get(`/groups/${child.id}`)).body.full_path).toBe(`${path}/child`)
    const old = await owner.get(`/groups/${encodeURIComponent(`${fullPath}/child`)}`)
    expect(old.status).toBe(301)
    expect(old.headers.get('location')).toBe(`${w.url}/api/v4/groups/${child.id}`)
    const moved = await project.guest.get(`/projects/${encodeURIComponent(`${fullPath}/child/deep`)}/labels`)
    expect(moved.status).toBe(301)
    const lost = await owner.put(`/groups/${encodeURIComponent(`${fullPath}/child`)}`, { name: 'x' })
    expect([lost.status, lost.body]).toEqual([
      405,
      { message: 'Non GET methods are not allowed for moved groups' },
    ])
    expect((await stranger.get(`/groups/${encodeURIComponent(`${fullPath}/child`)}`)).status).toBe(404)
  })

  test('refuses a path that is taken, and one below that is reserved at the top', async () => {
    const taken = await w.group()
    const { id, owner } = await w.group()
    const { status, body } = await owner.put(`/groups/${id}`, { path: taken.fullPath })
    expect(status).toBe(400)
    expect(body).toEqual({ message: { path: ['has already been taken'] } })
    expect((await owner.put(`/groups/${id}`, { path: 'admin' })).status).toBe(400)
    expect((await owner.put(`/groups/${id}`, {})).body.error).toMatch(
      /at least one parameter must be provided$/,
    )
    expect((await owner.put(`/groups/${id}`, { visibility: 'secret' })).status).toBe(400)
    expect((await owner.put(`/groups/${id}`, { lfs_enabled: 'perhaps' })).status).toBe(400)
  })

  test('visibility fits what is above and what is inside', async () => {
    const { id, owner } = await w.group({ visibility: 'internal' })
    const child = await w.group({ parent: id, visibility: 'internal' })
    expect((await owner.put(`/groups/${id}`, { visibility: 'private' })).body).toEqual({
      message: { visibility_level: ['private is not allowed since a group inside is more visible'] },
    })
    expect((await owner.put(`/groups/${child.id}`, { visibility: 'public' })).body).toEqual({
      message: { visibility_level: ['public is not allowed since the parent is internal'] },
    })
    expect((await owner.put(`/groups/${child.id}`, { visibility: 'private' })).status).toBe(200)
    expect((await owner.put(`/groups/${id}`, { visibility: 'private' })).status).toBe(200)
  })

  test('is refused when somebody changed it meanwhile', async () => {
    const { id, owner } = await w.group()
    const headers = { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
    expect((await owner.put(`/groups/${id}`, { name: 'x' }, { headers })).status).toBe(412)
  })
})

describe('POST /groups/:id/archive and /unarchive', () => {
  test('makes all below read-only, and back', async () => {
    const { id, owner } = await w.group()
    const project = await w.project({ parent: id })
    const label = () => owner.post(`/projects/${project.id}/labels`, { name: unique('l'), color: 'red' })
    expect((await owner.post(`/groups/${id}/archive`)).body).toMatchObject({ id, archived: true })
    expect((await owner.post(`/groups/${id}/archive`)).status).toBe(201)
    expect((await label()).status).toBe(403)
    expect((await owner.put(`/groups/${id}`, { name: 'x' })).status).toBe(403)
    expect((await owner.post(`/groups/${id}/unarchive`)).body.archived).toBe(false)
    expect((await owner.post(`/groups/${id}/unarchive`)).body.archived).toBe(false)
    expect((await label()).status).toBe(201)
  })
})
