import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditedFacts } from '#platform/facts/audited.ts'
import { type Fact, record } from '#platform/facts/record.ts'
import { Client } from '#test/client.ts'
import { person, Visitor } from '#test/visitor.ts'
import { openWorld, unique, type World } from '#test/world.ts'
import { eventsOf, toldBy } from './test-support.ts'

let w: World
beforeAll(async () => void (w = await openWorld(undefined, 'premium')))
afterAll(() => w.running.stop())

/** What is told while `work` runs. */
const told = async (work: () => Promise<unknown>) => toldBy(await eventsOf(w, work))

describe('what is done to accounts', () => {
  test('being made, changed and renamed', async () => {
    const name = unique('u')
    const user = {
      name: 'Eve',
      username: name,
      email: `${name}@audit.example`,
      password: 'a-long-Passphrase-1',
    }
    let id = 0
    const events = await told(async () => {
      id = (await w.root.post('/users', user)).body.id
      await w.root.put(`/users/${id}`, {
        admin: true,
        email: `${name}@other.example`,
        skip_reconfirmation: true,
        name: 'Eve',
        note: 'x',
      })
      await w.root.put(`/users/${id}`, { admin: true, username: `${name}-b`, external: true })
    })
    expect(events).toEqual([
      ['user_created', { add: 'user' }],
      ['user_email_address_updated', { change: 'email', from: user.email, to: `${name}@other.example` }],
      ['user_admin_status_updated', { change: 'admin', from: 'false', to: 'true' }],
      ['user_username_updated', { change: 'username', from: name, to: `${name}-b` }],
      ['user_external_updated', { change: 'external', from: 'false', to: 'true' }],
      ['user_can_create_group_updated', { change: 'can create group', from: 'true', to: 'false' }],
      ['user_projects_limit_updated', { change: 'projects limit', from: '100000', to: '0' }],
    ])
  })

  test('being blocked and so on', async () => {
    const { id } = await w.user()
    const events = await eventsOf(w, async () => {
      for (const verb of ['block', 'unblock', 'ban', 'unban', 'deactivate', 'activate']) {
        expect((await w.root.post(`/users/${id}/${verb}`)).status).toBe(201)
      }
    })
    expect(events.map(({ event_name }) => event_name)).toEqual([
      'user_blocked',
      'unblock_user',
      'ban_user',
      'unban_user',
      'user_deactivate',
      'user_activate',
    ])
    expect(new Set(events.map(({ entity_id }) => entity_id))).toEqual(new Set([id]))
  })

  test('their own status and preferences are nobody’s business', async () => {
    const user = await w.user()
    expect(await told(() => user.put('/user/status', { message: 'Away' }))).toEqual([])
  })

  test('signing in and out, a wrong password, and a new one', async () => {
    const { id, username, password } = await person(w)
    const visitor = new Visitor(w.url, { from: '192.0.2.9' })
    const events = await eventsOf(w, async () => {
      await visitor.signIn(username, 'wrong')
      await visitor.signIn(unique('nobody'), 'wrong')
      expect((await visitor.signIn(username, password)).status).toBe(303)
      await visitor.submit('/', '/users/sign_out')
      await w.root.put(`/users/${id}`, { password: 'another-long-Passphrase-2' })
    })
    expect(events).toMatchObject([
      {
        event_name: 'login_failed_with_standard_authentication',
        author_id: -1,
        entity_type: 'User',
        entity_id: id,
        details: { author_name: 'An unauthenticated user', author_email: null, ip_address: '192.0.2.9' },
      },
      { author_id: -1, entity_type: 'Gitlab::Audit::InstanceScope' },
      { event_name: 'session_started', author_id: id, details: { with: 'standard' } },
      { event_name: 'session_ended', author_id: id },
      { event_name: 'user_password_updated', author_id: 1, entity_id: id, details: { change: 'password' } },
    ])
    expect(JSON.stringify(events)).not.toContain('wrong')
  })
})

describe('what is done to tokens', () => {
  test('of people, and never the secret', async () => {
    const user = await w.user()
    const secrets: string[] = []
    const events = await eventsOf(w, async () => {
      const request = { name: 'deploy', scopes: ['read_api'], expires_at: '2026-12-31' }
      const { body } = await w.root.post(`/users/${user.id}/personal_access_tokens`, request)
      const rotated = await w.root.post(`/personal_access_tokens/${body.id}/rotate`)
      secrets.push(body.token, rotated.body.token)
      await w.root.post(`/personal_access_tokens/${body.id}/rotate`)
    })
    expect(toldBy(events)).toMatchObject([
      [
        'personal_access_token_created',
        {
          add: 'personal access token',
          custom_message: 'Created personal access token with the scopes read_api, until 2026-12-31',
        },
      ],
      ['personal_access_token_rotated', {}],
      ['personal_access_token_revoked', { remove: 'personal access token' }],
      ['personal_access_token_reuse_refused', {}],
    ])
    for (const { entity_type, entity_id, details } of events) {
      expect([entity_type, entity_id]).toEqual(['User', user.id])
      expect(details).toMatchObject({ target_type: 'AccessToken', target_details: 'deploy' })
    }
    for (const secret of secrets) expect(JSON.stringify(events)).not.toContain(secret)
  })

  test('of projects and groups, with their role, in the list of the place', async () => {
    const p = await w.project()
    const request = { name: 'ci', scopes: ['api'], access_level: 30, expires_at: '2026-12-31' }
    await p.owner.post(`/projects/${p.id}/access_tokens`, request)
    const { body } = await p.owner.get(`/projects/${p.id}/audit_events?per_page=2`)
    expect(toldBy(body)).toMatchObject([
      ['member_created', { as: 'Developer' }],
      ['project_access_token_created', { add: 'project access token', as: 'Developer' }],
    ])
    expect(body[1].author_id).toBe(p.owner.id)
  })

  test('applications', async () => {
    const events = await told(async () => {
      const request = { name: 'Board', redirect_uri: 'https://board.example/back', scopes: 'read_api' }
      const { body } = await w.root.post('/applications', request)
      await w.root.post(`/applications/${body.id}/renew-secret`)
      await w.root.delete(`/applications/${body.id}`)
    })
    expect(events.map(([name]) => name)).toEqual([
      'oauth_application_created',
      'oauth_application_secret_renewed',
      'oauth_application_deleted',
    ])
  })
})

test('what people allow applications, and what is made of it by others', async () => {
  const user = await w.user({ name: 'Eve' })
  const target = { type: 'Application', id: 7 }
  const about = { namespace: null, target } as const
  const consent = { name: 'Board', user_id: user.id }
  const events = await eventsOf(w, () =>
    w.write(async (tx) => {
      const nobody = { ...tx, author: null, ip: '192.0.2.9' }
      record(tx, { name: 'application authorized', ...about, details: { ...consent, scopes: ['api'] } })
      record(nobody, { name: 'application revoked', ...about, details: consent })
      const reuse = { ...consent, what: 'refresh token' }
      record(nobody, { name: 'OAuth token reuse refused', ...about, details: reuse })
    }, user),
  )
  const there = { entity_type: 'User', entity_id: user.id }
  const details = { target_type: 'Application', target_id: 7, target_details: 'Board' }
  expect(events).toMatchObject([
    { ...there, event_name: 'oauth_application_authorized', author_id: user.id, details },
    { ...there, event_name: 'oauth_application_revoked', author_id: -1, details },
    { ...there, event_name: 'oauth_token_reuse_refused', author_id: -1, details },
  ])
})

test('what is done by the system has no author and no address', async () => {
  const { id } = await w.user()
  const target = { type: 'User', id }
  const [event] = await eventsOf(w, () =>
    w.write(async (tx) =>
      record(
        { ...tx, author: null },
        { name: 'user approved', namespace: null, target, details: { username: 'x' } },
      ),
    ),
  )
  expect(event).toMatchObject({
    event_name: 'user_approved',
    author_id: -1,
    details: { author_name: 'System', author_email: null, ip_address: null },
  })
})

describe('what is done to members', () => {
  test('added, changed and removed, with the role', async () => {
    const p = await w.project()
    const user = await w.user({ name: 'Eve' })
    const path = `/projects/${p.id}/members`
    const events = await eventsOf(w, async () => {
      await p.owner.post(path, { user_id: user.id, access_level: 20 })
      await p.owner.put(`${path}/${user.id}`, { access_level: 30, expires_at: '2027-01-01' })
      await p.owner.put(`${path}/${user.id}`, { access_level: 30 })
      await p.owner.delete(`${path}/${user.id}`)
    })
    expect(toldBy(events)).toEqual([
      [
        'member_created',
        { add: 'user_access', as: 'Reporter', custom_message: 'Became a member without an end' },
      ],
      ['member_updated', { change: 'access_level', from: 'Reporter', to: 'Developer' }],
      ['member_updated', { change: 'expiry', from: null, to: '2027-01-01' }],
      ['member_destroyed', { remove: 'user_access' }],
    ])
    for (const event of events) {
      expect(event).toMatchObject({
        entity_type: 'Project',
        entity_id: p.id,
        details: { target_type: 'User', target_id: user.id, target_details: 'Eve' },
      })
    }
  })

  test('leaving a group is told where memberships below ended, too', async () => {
    const p = await w.project()
    const user = await w.user()
    await w.member(p.groupId, user, 20)
    await w.member(p.namespaceId, user, 30)
    const events = await eventsOf(w, () => w.root.delete(`/groups/${p.groupId}/members/${user.id}`))
    expect(
      events.map(({ event_name, entity_type, entity_id }) => [event_name, entity_type, entity_id]),
    ).toEqual([
      ['member_destroyed', 'Group', p.groupId],
      ['member_destroyed', 'Project', p.id],
    ])
  })

  test('a project that comes to a person makes them its owner', async () => {
    const p = await w.project()
    const events = await told(() => w.root.put(`/projects/${p.id}/transfer`, { namespace: 'root' }))
    expect(events).toMatchObject([
      ['member_created', { as: 'Owner' }],
      ['project_namespace_updated', { from: p.fullPath }],
    ])
  })
})

describe('what is done to groups and projects', () => {
  test('groups', async () => {
    const invited = await w.group({ visibility: 'public' })
    const path = unique('g')
    const events = await eventsOf(w, async () => {
      const { body } = await w.root.post('/groups', { name: 'Before', path })
      const group = `/groups/${body.id}`
      await w.root.put(group, { name: 'After', path: `${path}-b`, visibility: 'public', description: 'x' })
      await w.root.put(group, { name: 'After', request_access_enabled: false })
      await w.root.post(`${group}/share`, { group_id: invited.id, group_access: 30 })
      await w.root.delete(`${group}/share/${invited.id}`)
      await w.root.post(`${group}/archive`)
      await w.root.post(`${group}/unarchive`)
      await w.root.delete(group)
    })
    expect(toldBy(events)).toEqual([
      ['member_created', expect.objectContaining({ as: 'Owner' })],
      ['group_created', { add: 'group' }],
      ['group_name_updated', { change: 'name', from: 'Before', to: 'After' }],
      ['group_visibility_level_updated', { change: 'visibility', from: 'private', to: 'public' }],
      ['group_path_updated', { change: 'path', from: path, to: `${path}-b` }],
      [
        'group_request_access_enabled_updated',
        { change: 'request access enabled', from: 'true', to: 'false' },
      ],
      ['group_share_with_group_link_created', { add: 'group_access', as: 'Developer' }],
      ['group_share_with_group_link_removed', { remove: 'group_access' }],
      ['group_archived', { custom_message: 'Archived group' }],
      ['group_unarchived', { custom_message: 'Unarchived group' }],
      ['group_destroyed', { remove: 'group' }],
    ])
    expect(events[6]?.details).toMatchObject({ target_type: 'Group', target_details: invited.fullPath })
    expect(events.at(-1)?.details).toMatchObject({ entity_path: `${path}-b`, target_details: `${path}-b` })
  })

  test('projects', async () => {
    const invited = await w.group({ visibility: 'public' })
    const path = unique('p')
    const events = await told(async () => {
      const { body } = await w.root.post('/projects', { name: path })
      const project = `/projects/${body.id}`
      await w.root.put(project, { path: `${path}-b`, visibility: 'public' })
      await w.root.put(project, {
        merge_method: 'ff',
        squash_option: 'always',
        issues_access_level: 'private',
      })
      await w.root.put(project, { merge_method: 'ff', description: 'A text' })
      await w.root.post(`${project}/share`, { group_id: invited.id, group_access: 30 })
      await w.root.delete(`${project}/share/${invited.id}`)
      await w.root.post(`${project}/archive`)
      await w.root.post(`${project}/unarchive`)
      const issue = await w.root.post(`${project}/issues`, { title: 'Secret plan' })
      await w.root.post(`${project}/issues/${issue.body.iid}/notes`, { body: 'Not told' })
      await w.root.delete(`${project}/issues/${issue.body.iid}`)
      await w.root.delete(project)
    })
    expect(events).toEqual([
      ['member_created', expect.objectContaining({ as: 'Owner' })],
      ['project_created', { add: 'project' }],
      ['project_path_updated', { change: 'path', from: `root/${path}`, to: `root/${path}-b` }],
      ['project_visibility_level_updated', { change: 'visibility', from: 'private', to: 'public' }],
      [
        'project_issues_access_level_updated',
        { change: 'issues access level', from: 'enabled', to: 'private' },
      ],
      ['project_merge_method_updated', { change: 'merge method', from: 'merge', to: 'ff' }],
      ['squash_option_updated', { change: 'squash option', from: 'default_off', to: 'always' }],
      ['project_group_link_created', { add: 'project_access', as: 'Developer' }],
      ['project_group_link_deleted', { remove: 'project_access' }],
      ['project_archived', { custom_message: 'Archived project' }],
      ['project_unarchived', { custom_message: 'Unarchived project' }],
      ['delete_issue', { remove: 'issue', custom_message: 'Deleted issue #1' }],
      ['project_destroyed', { remove: 'project' }],
    ])
  })

  test('limits of a namespace', async () => {
    const { id } = await w.group()
    const events = await told(() => w.root.put(`/namespaces/${id}`, { shared_runners_minutes_limit: 5 }))
    expect(events).toEqual([
      ['namespace_shared_runners_minutes_limit_updated', { change: 'shared runners minutes limit' }],
    ])
  })

  test('groups that go with their only owner', async () => {
    const admin = await w.user()
    const path = unique('g')
    await admin.post('/groups', { name: path, path })
    const events = await told(() => w.root.delete(`/users/${admin.id}?hard_delete=true`))
    expect(events).toEqual([
      ['group_destroyed', { remove: 'group' }],
      ['user_destroyed', { remove: 'user' }],
    ])
  })
})

test('settings of the instance that are given as they were are not told', async () => {
  const change = (settings: object) => w.root.put('/application/settings', settings)
  await change({ max_attachment_size: 50, gravatar_enabled: true })
  expect(await told(() => change({ max_attachment_size: 51, gravatar_enabled: true }))).toEqual([
    ['application_setting_updated', { change: 'max attachment size', from: '50', to: '51' }],
  ])
})

describe('the administrator behind somebody', () => {
  test('is named when they act by sudo', async () => {
    const p = await w.project()
    const admin = await w.user({ admin: true, name: 'Ada', scopes: ['api', 'sudo'] })
    const [event] = await eventsOf(w, () =>
      admin.put(`/projects/${p.id}`, { name: 'Renamed' }, { headers: { sudo: p.owner.username } }),
    )
    expect(event).toMatchObject({
      author_id: p.owner.id,
      details: { author_name: p.owner.username, impersonated_by: 'Ada', impersonated_by_id: admin.id },
    })
    const { rows } = await sql`select actor_id, behind_id from facts order by id desc limit 1`.execute(w.db)
    expect(rows).toEqual([{ actor_id: p.owner.id, behind_id: admin.id }])
  })

  test('is named when they act with an impersonation token', async () => {
    const p = await w.project()
    const admin = await w.user({ admin: true, name: 'Grace' })
    const request = { name: 'look', scopes: ['api'], expires_at: '2026-12-31' }
    const path = `/users/${p.owner.id}/impersonation_tokens`
    const [made, changed] = await eventsOf(w, async () => {
      const { body } = await admin.post(path, request)
      const impersonating = new Client(w.url, { 'private-token': body.token })
      await impersonating.put(`/projects/${p.id}`, { name: 'Renamed' })
    })
    expect(made).toMatchObject({
      event_name: 'impersonation_token_created',
      author_id: admin.id,
      entity_type: 'User',
      entity_id: p.owner.id,
    })
    expect(made?.details).not.toHaveProperty('impersonated_by')
    expect(changed).toMatchObject({
      author_id: p.owner.id,
      details: { impersonated_by: 'Grace', impersonated_by_id: admin.id },
    })
  })

  test('stays the same when an impersonation token rotates itself', async () => {
    const owner = await w.user()
    const admin = await w.user({ admin: true, name: 'Joan' })
    const request = { name: 'look', scopes: ['api', 'self_rotate'], expires_at: '2026-12-31' }
    const { body } = await admin.post(`/users/${owner.id}/impersonation_tokens`, request)
    const as = (token: string) => new Client(w.url, { 'private-token': token })
    const rotated = await as(body.token).post('/personal_access_tokens/self/rotate')
    expect(rotated.status).toBe(200)
    const [event] = await eventsOf(w, () =>
      as(rotated.body.token).post('/groups', { name: unique('g'), path: unique('g') }),
    )
    expect(event?.details).toMatchObject({ impersonated_by: 'Joan' })
  })
})

describe('what is recorded', () => {
  test('takes one statement, with the event', async () => {
    const { id } = await w.user()
    const fact: Fact = {
      name: 'user blocked',
      namespace: null,
      target: { type: 'User', id },
      details: { username: 'x' },
    }
    const sent = await w.statements(() => w.write(async (tx) => record(tx, fact)))
    expect(sent.filter((statement) => statement.includes('audit_events'))).toHaveLength(1)
    expect(sent.filter((statement) => !/^(start|commit)/.test(statement))).toHaveLength(1)
  })

  test('that nobody is asked about costs nothing more', async () => {
    const { namespaceId: namespace, id } = await w.project()
    const target = { type: 'Project', id }
    const sent = await w.statements(() =>
      w.write(async (tx) => record(tx, { name: 'project starred', namespace, target, details: {} })),
    )
    expect(sent.join()).not.toContain('audit_events')
  })

  test('is undone with its transaction, and by a refusal', async () => {
    const p = await w.project()
    const events = await told(async () => {
      const failing = w.write(async (tx) => {
        const target = { type: 'Project', id: p.id }
        record(tx, {
          name: 'project archived',
          namespace: p.namespaceId,
          target,
          details: { path: 'x' },
        })
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      const taken = await w.project({ parent: p.groupId })
      const path = taken.fullPath.split('/').at(-1)
      expect((await p.owner.put(`/projects/${p.id}`, { path })).status).toBe(400)
    })
    expect(events.filter(([name]) => name === 'project_archived' || name === 'project_path_updated')).toEqual(
      [],
    )
  })

  test('by ten at once is told of all ten', async () => {
    const p = await w.project()
    const users = await Promise.all(Array.from({ length: 10 }, () => w.user()))
    const events = await eventsOf(w, () =>
      Promise.all(
        users.map(({ id }) => p.owner.post(`/projects/${p.id}/members`, { user_id: id, access_level: 20 })),
      ),
    )
    expect(events).toHaveLength(10)
    expect(new Set(events.map(({ details }) => details['target_id']))).toEqual(
      new Set(users.map(({ id }) => id)),
    )
  })
})

test('the guide names every event, and no other', () => {
  const guide = readFileSync(new URL('../../../docs/guides/audit-events.md', import.meta.url), 'utf8')
  const named = [...guide.matchAll(/^\| `([\w<>]+)` +\|/gm)].map(([, name]) => name)
  const kept = auditedFacts.entries
    .flatMap(Object.values<{ events: readonly string[] }>)
    .flatMap(({ events }) => events)
  expect(new Set(named)).toEqual(new Set(kept))
  expect(named).toHaveLength(new Set(named).size)
})
