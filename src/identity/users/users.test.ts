import { describe, expect, test } from 'vitest'
import { linkTo } from '#test/client.ts'
import { unique, w } from '#test/world.ts'
import { withSettings } from './test-support.ts'

const basic = ['id', 'username', 'public_email', 'name', 'state', 'locked', 'avatar_url', 'web_url']
const closed = { message: '403 Forbidden - Not authorized to access /api/v4/users' }
const usernames = (body: { username: string }[]) => body.map(({ username }) => username)

describe('GET /user', () => {
  test('shows users themselves what others do not see, and not what administrators see', async () => {
    const user = await w.user({ profile: { job_title: 'Smith', organization: 'Forge' } })
    const { status, body } = await user.get('/user')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: user.id,
      email: `${user.username}@example.com`,
      commit_email: `${user.username}@example.com`,
      state: 'active',
      locked: false,
      bio: '',
      work_information: 'Smith at Forge',
      projects_limit: 100_000,
      can_create_project: true,
      two_factor_enabled: false,
      identities: [],
      web_url: `${w.url}/${user.username}`,
    })
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(body).not.toHaveProperty('is_admin')
    expect(body).not.toHaveProperty('note')
  })

  test('shows administrators all, but not while they act as somebody else', async () => {
    const { body } = await w.root.get('/user')
    expect(body).toMatchObject({
      id: 1,
      is_admin: true,
      note: null,
      created_by: null,
      using_license_seat: true,
    })
    const user = await w.user({ admin: true })
    const { client } = await w.token(w.root, ['api', 'sudo'])
    const sudo = await client.get(`/user?sudo=${user.username}`)
    expect(sudo.body.id).toBe(user.id)
    expect(sudo.body).not.toHaveProperty('is_admin')
  })

  test('needs a token, of any reading scope, and two statements', async () => {
    expect((await w.anonymous.get('/user')).status).toBe(401)
    const user = await w.user({ scopes: ['read_user'] })
    const statements = await w.statements(async () => expect((await user.get('/user')).status).toBe(200))
    expect(statements).toHaveLength(2)
  })
})

describe('GET /users', () => {
  test('shows users the basic fields, and administrators all', async () => {
    const user = await w.user({ note: 'a note' })
    const { body } = await user.get(`/users?username=${user.username.toUpperCase()}`)
    expect(body).toHaveLength(1)
    expect(Object.keys(body[0])).toEqual(basic)
    const all = await w.root.get(`/users?username=${user.username}&with_custom_attributes=true`)
    expect(all.body).toMatchObject([
      {
        note: 'a note',
        is_admin: false,
        namespace_id: expect.any(Number),
        created_by: { id: 1, username: 'root', web_url: `${w.url}/root` },
        custom_attributes: [],
      },
    ])
  })

  test('asks anonymous callers for a username', async () => {
    const { username } = await w.user()
    const { body } = await w.anonymous.get(`/users?username=${username}`)
    expect(usernames(body)).toEqual([username])
    const keyset = 'pagination=keyset&order_by=name&sort=asc'
    expect(usernames((await w.anonymous.get(`/users?username=${username}&${keyset}`)).body)).toEqual([
      username,
    ])
    for (const query of ['', '?username=', '?search=root', `?${keyset}`]) {
      expect(await w.anonymous.get(`/users${query}`)).toMatchObject({ status: 403, body: closed })
    }
  })

  test('tells anonymous callers nothing where public visibility is restricted', async () => {
    const { id, username } = await w.user()
    await withSettings({ restricted_visibility_levels: ['public'] }, async () => {
      expect((await w.anonymous.get(`/users?username=${username}`)).status).toBe(403)
      expect((await w.anonymous.get(`/users/${id}/projects`)).status).toBe(404)
    })
  })

  test('finds by parts of names, and by whole addresses that the caller may know', async () => {
    const word = unique('Needle')
    const email = `${unique('hay')}@example.com`
    const shown = await w.user({ name: `The ${word} Itself`, email, publicEmail: email })
    const hidden = await w.user({ name: `Another ${word}` })
    const find = async (term: string, who = shown) =>
      usernames((await who.get(`/users?search=${encodeURIComponent(term)}`)).body)
    expect(await find(word.toLowerCase())).toEqual([hidden.username, shown.username])
    expect(await find(email.toUpperCase())).toEqual([shown.username])
    expect(await find(`${hidden.username}@example.com`)).toEqual([])
    expect(await find(`${hidden.username}@example.com`, w.root)).toEqual([hidden.username])
    expect(usernames((await shown.get(`/users?public_email=${email}`)).body)).toEqual([shown.username])
    expect(await find('100%_')).toEqual([])
  })

  test('filters by kind and state, and hides blocked users from others than administrators', async () => {
    const word = unique('filter')
    const named = (name: string) => ({ username: `${name}-${word}` })
    const human = await w.user(named('human'))
    await w.user({ ...named('outside'), external: true })
    await w.user({ ...named('bot'), kind: 'bot' })
    const blocked = await w.user(named('shut'))
    await w.root.post(`/users/${blocked.id}/block`)
    const list = async (query: string, who = w.root) =>
      usernames((await who.get(`/users?search=${word}&${query}`)).body)
        .map((name) => name.split('-')[0])
        .toSorted((a = '', b = '') => a.localeCompare(b))
    expect(await list('')).toEqual(['bot', 'human', 'outside', 'shut'])
    expect(await list('', human)).toEqual(['bot', 'human', 'outside'])
    expect(await list('active=true')).toEqual(['bot', 'human', 'outside'])
    expect(await list('blocked=true')).toEqual(['shut'])
    expect(await list('blocked=false')).toHaveLength(4)
    expect(await list('humans=true')).toEqual(['human', 'outside', 'shut'])
    expect(await list('without_project_bots=true')).toEqual(['human', 'outside', 'shut'])
    expect(await list('exclude_humans=true')).toEqual(['bot'])
    expect(await list('external=true')).toEqual(['outside'])
    expect(await list('exclude_external=true&humans=1')).toEqual(['human', 'shut'])
    expect(await list('exclude_active=true')).toEqual(['shut'])
    expect(await list('two_factor=enabled')).toEqual([])
    expect(await list('saml_provider_id=1', human)).toEqual([])
    expect((await w.root.get('/users?username=ghost&exclude_internal=true')).body).toEqual([])
    expect((await w.root.get('/users?username=ghost&active=true')).body).toEqual([])
  })

  test('gives administrators filters by rights, age and projects; others get them ignored', async () => {
    const word = unique('rights')
    w.clock.hold('2026-01-02T03:04:05.678Z')
    const chief = await w.user({ username: `chief-${word}`, admin: true })
    w.clock.release()
    const { developer } = await w.project()
    const list = async (query: string, who = w.root) => usernames((await who.get(`/users?${query}`)).body)
    expect(await list(`search=${word}&admins=true`)).toEqual([chief.username])
    expect(await list(`search=${developer.username}&admins=true`)).toEqual([])
    expect(await list(`search=${developer.username}&admins=true`, developer)).toEqual([developer.username])
    expect(await list(`search=${word}&created_before=2026-01-02T03:04:05.678Z`)).toEqual([chief.username])
    expect(await list(`search=${word}&created_after=2026-01-02T03:04:05.679Z`)).toEqual([])
    expect(await list(`search=${word}&without_projects=true`)).toEqual([chief.username])
    expect(await list(`search=${developer.username}&without_projects=true`)).toEqual([])
  })

  test('takes orders from administrators, and with keyset from everybody', async () => {
    const word = unique('order')
    const one = await w.user({ username: `one-${word}`, name: `B ${word}` })
    const two = await w.user({ username: `two-${word}`, name: `A ${word}` })
    const query = `/users?search=${word}&order_by=name&sort=asc`
    expect(usernames((await w.root.get(query)).body)).toEqual([two.username, one.username])
    expect(usernames((await one.get(`/users?search=${word}&order_by=name&sort=desc`)).body)).toEqual([
      two.username,
      one.username,
    ])
    for (const who of [w.root, one]) {
      const first = await who.get(`${query}&pagination=keyset&per_page=1`)
      expect(usernames(first.body)).toEqual([two.username])
      expect(first.headers.get('x-total')).toBeNull()
      const second = await who.get(linkTo('next', first) ?? '')
      expect(usernames(second.body)).toEqual([one.username])
      expect(linkTo('next', second)).toBeUndefined()
    }
    expect((await w.root.get('/users?order_by=email')).status).toBe(400)
  })

  test.each(['id', 'name', 'username', 'created_at', 'updated_at'])(
    'pages by %s in both directions yield every user once',
    async (order) => {
      const word = unique('page')
      for (let made = 0; made < 5; made += 1) await w.user({ username: unique(word), name: 'The same' })
      const pages = async (sort: string) => {
        const seen: string[] = []
        let next: string | undefined =
          `/users?search=${word}&pagination=keyset&order_by=${order}&sort=${sort}&per_page=2`
        while (next !== undefined) {
          const answer = await w.root.get(next)
          seen.push(...usernames(answer.body))
          next = linkTo('next', answer)
        }
        return seen
      }
      const ascending = await pages('asc')
      expect(ascending).toHaveLength(5)
      expect(await pages('desc')).toEqual(ascending.toReversed())
    },
  )

  test('ends pages by number after 50,000 rows', async () => {
    const { status, body } = await w.root.get('/users?page=501&per_page=100')
    expect(status).toBe(405)
    expect(body.error).toMatch(/^Offset pagination has a maximum allowed offset of 50000 .* type User\./)
    expect((await w.root.get('/users?page=500&per_page=100')).body).toEqual([])
  })

  test('costs two statements whatever the page size', async () => {
    for (const size of [1, 100]) {
      const list = () => w.root.get(`/users?per_page=${size}&pagination=keyset&order_by=name&sort=asc`)
      expect(await w.statements(list)).toHaveLength(2)
      expect(await w.statements(() => w.root.get(`/users?per_page=${size}`))).toHaveLength(2)
    }
  })
})

describe('GET /users/:id', () => {
  test('refuses callers without credentials alike, whoever there is', async () => {
    const { id, username } = await w.user()
    const paths = [`/users/${id}`, '/users/999999999', '/users/no-number']
    const statuses = [`/users/${id}/status`, `/users/${username}/status`, '/users/nobody-at-all/status']
    for (const path of [...paths, ...statuses]) {
      const asked = await w.sent(async () =>
        expect(await w.anonymous.get(path)).toMatchObject({
          status: 403,
          body: { message: '403 Forbidden - Not authorized!' },
        }),
      )
      expect(asked).toEqual([])
    }
  })

  test('shows everybody signed in the public page, and administrators all', async () => {
    const user = await w.user({ profile: { bio: 'Hello', location: 'Here' }, note: 'secret' })
    const { status, body } = await (await w.user()).get(`/users/${user.id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ bio: 'Hello', location: 'Here', bot: false, followers: 0, following: 0 })
    for (const hidden of ['email', 'note', 'is_admin']) expect(body).not.toHaveProperty(hidden)
    expect((await user.get(`/users/${user.id}`)).body.is_followed).toBe(false)
    expect((await w.root.get(`/users/${user.id}`)).body).toMatchObject({ note: 'secret', bio: 'Hello' })
  })

  test('hides what a private profile hides, except from the user and administrators', async () => {
    const user = await w.user({ privateProfile: true })
    const { body } = await (await w.user()).get(`/users/${user.id}`)
    expect(body.username).toBe(user.username)
    for (const hidden of ['created_at', 'followers', 'following', 'is_followed']) {
      expect(body).not.toHaveProperty(hidden)
    }
    expect((await user.get(`/users/${user.id}`)).body).toHaveProperty('created_at')
    expect((await w.root.get(`/users/${user.id}`)).body).toHaveProperty('created_at')
  })

  test('knows numbers alone', async () => {
    expect(await w.root.get('/users/999999999')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
    expect((await w.root.get('/users/root')).body.error).toBe('id is invalid')
  })
})

describe('GET /users/:id/memberships', () => {
  test('lists direct memberships, for administrators', async () => {
    const { id, groupId, namespaceId, developer } = await w.project()
    await w.member(groupId, developer, 20)
    const { status, body } = await w.root.get(`/users/${developer.id}/memberships`)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { source_id: id, source_type: 'Project', access_level: 30 },
      { source_id: groupId, source_type: 'Namespace', access_level: 20 },
    ])
    expect(namespaceId).not.toBe(id)
    const only = await w.root.get(`/users/${developer.id}/memberships?type=Namespace`)
    expect(only.body).toHaveLength(1)
    expect((await w.root.get(`/users/${developer.id}/memberships?type=Group`)).status).toBe(400)
    expect((await developer.get(`/users/${developer.id}/memberships`)).status).toBe(403)
    expect((await w.root.get('/users/999999999/memberships')).status).toBe(404)
  })
})

describe('GET /users/:id/associations_count', () => {
  test('counts for the user and administrators', async () => {
    const { developer, reporter } = await w.project()
    const path = `/users/${developer.id}/associations_count`
    const counts = { groups_count: 0, projects_count: 1, issues_count: 0, merge_requests_count: 0 }
    expect((await developer.get(path)).body).toEqual(counts)
    expect((await w.root.get(path)).body).toEqual(counts)
    expect((await reporter.get(path)).status).toBe(403)
    expect((await w.anonymous.get(path)).status).toBe(401)
  })
})
