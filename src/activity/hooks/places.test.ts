import { expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'
import { triggersOf } from './triggers.ts'

allowReceivers()

const allOfGroups = Object.fromEntries(triggersOf.group.map((name) => [name, true]))
const day = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const hex = expect.stringMatching(/^[0-9a-f]{40}$/)
const zeros = '0'.repeat(40)

test('a webhook of a group learns of projects, subgroups and members in it, and of all that happens below', async () => {
  await w.onPlan('premium', async () => {
    const group = await w.group()
    const server = await receiver()
    await w.root.post(`/groups/${group.id}/hooks`, { ...allOfGroups, url: server.url })
    const path = unique('sub')
    const { body: sub } = await w.root.post('/groups', { name: path, path, parent_id: group.id })
    const { body: project } = await w.root.post('/projects', { name: 'inside', namespace_id: sub.id })
    const somebody = await w.user()
    await group.owner.post(`/groups/${group.id}/members`, { user_id: somebody.id, access_level: 30 })
    await w.root.post(`/projects/${project.id}/issues`, { title: 'Deep' })
    await settled()
    await w.root.delete(
      `/groups/${sub.id}?permanently_remove=true&full_path=${encodeURIComponent(sub.full_path)}`,
    )
    await server.has(5)
    await settled()
    const told = server.received.map(({ headers, body }) => [
      headers['x-gitlab-event'],
      body.event_name ?? body.object_kind,
    ])
    expect(told).toEqual(
      expect.arrayContaining([
        ['Subgroup Hook', 'subgroup_create'],
        ['Project Hook', 'project_create'],
        ['Member Hook', 'user_add_to_group'],
        ['Issue Hook', 'issue'],
      ]),
    )
    const bodies = server.received.map(({ body }) => body)
    expect(bodies.find(({ event_name }) => event_name === 'subgroup_create')).toEqual({
      created_at: day,
      updated_at: day,
      event_name: 'subgroup_create',
      name: path,
      path,
      full_path: sub.full_path,
      group_id: sub.id,
      parent_group_id: group.id,
      parent_name: group.fullPath,
      parent_path: group.fullPath,
      parent_full_path: group.fullPath,
    })
    expect(bodies.find(({ user_id }) => user_id === somebody.id)).toEqual({
      created_at: day,
      updated_at: day,
      group_name: group.fullPath,
      group_path: group.fullPath,
      group_id: group.id,
      user_username: somebody.username,
      user_name: somebody.username,
      user_email: '[REDACTED]',
      user_id: somebody.id,
      group_access: 'Developer',
      group_plan: null,
      expires_at: null,
      event_name: 'user_add_to_group',
    })
    expect(bodies.find(({ event_name }) => event_name === 'project_create')).toMatchObject({
      name: 'inside',
      path: 'inside',
      path_with_namespace: `${sub.full_path}/inside`,
      project_id: project.id,
      project_visibility: 'private',
      owners: expect.any(Array),
    })
  })
})

test('a webhook of the instance learns of accounts, keys, groups, projects, members and pushes', async () => {
  const server = await receiver()
  const { body: hook } = await w.root.post('/hooks', { url: server.url, push_events: true })
  try {
    const username = unique('hooked')
    const { body: user } = await w.root.post('/users', {
      username,
      name: username,
      email: `${username}@example.com`,
      password: 'long enough 1234',
      skip_confirmation: true,
    })
    await w.root.put(`/users/${user.id}`, { username: `${username}-new` })
    const path = unique('hooked')
    const { body: group } = await w.root.post('/groups', { name: path, path })
    const { body: project } = await w.root.post('/projects', {
      name: 'first',
      namespace_id: group.id,
      initialize_with_readme: true,
    })
    await w.root.post(`/projects/${project.id}/members`, { user_id: user.id, access_level: 40 })
    await w.root.put(`/projects/${project.id}`, { path: 'second' })
    await w.root.delete(
      `/projects/${project.id}?permanently_remove=true&full_path=${encodeURIComponent(`${group.full_path}/second`)}`,
    )
    await w.root.delete(`/users/${user.id}`)
    await server.has(9)
    await settled()
    expect(new Set(server.received.map(({ headers }) => headers['x-gitlab-event']))).toEqual(
      new Set(['System Hook']),
    )
    const bodies = server.received.map(({ body }) => body)
    const named = (name: string) => bodies.find(({ event_name }) => event_name === name)
    expect(named('user_create')).toEqual({
      event_name: 'user_create',
      created_at: day,
      updated_at: day,
      name: username,
      email: '[REDACTED]',
      user_id: user.id,
      username,
    })
    expect(named('user_rename')).toMatchObject({ username: `${username}-new`, old_username: username })
    expect(named('user_destroy')).toMatchObject({ user_id: user.id, username: `${username}-new` })
    expect(named('group_create')).toMatchObject({ name: path, path, group_id: group.id })
    expect(named('project_create')).toMatchObject({
      path_with_namespace: `${path}/first`,
      project_id: project.id,
      project_visibility: 'private',
    })
    expect(named('project_rename')).toMatchObject({
      path_with_namespace: `${path}/second`,
      old_path_with_namespace: `${path}/first`,
    })
    expect(named('user_add_to_team')).toMatchObject({
      project_id: project.id,
      access_level: 'Maintainer',
      user_id: user.id,
    })
    expect(named('repository_update')).toMatchObject({
      project_id: project.id,
      refs: ['refs/heads/main'],
      changes: [{ before: zeros, after: hex, ref: 'refs/heads/main' }],
    })
    expect(named('push')).toMatchObject({ commits: [], total_commits_count: 1 })
    expect(named('project_destroy')).toMatchObject({ project_id: project.id })
  } finally {
    await w.root.delete(`/hooks/${hook.id}`)
  }
})
