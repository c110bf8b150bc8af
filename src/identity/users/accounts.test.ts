import { describe, expect, test } from 'vitest'
import { verifyPassword } from '#platform/access/passwords.ts'
import { unique, w } from '#test/world.ts'
import { withAdministrators, withSettings } from './test-support.ts'

const newUser = (more: object = {}) => {
  const username = unique('made')
  return { username, name: 'Made Up', email: `${username}@example.com`, password: 'correct horse', ...more }
}
const create = (more: object = {}) => w.root.post('/users', newUser(more))
const digestOf = async (id: number) =>
  (await w.db.selectFrom('users').select('password_digest').where('id', '=', id).executeTakeFirstOrThrow())
    .password_digest

describe('POST /users', () => {
  test('makes an account with everything given', async () => {
    const asked = newUser({
      admin: true,
      bio: 'Bio',
      location: 'There',
      website_url: 'https://example.com',
      job_title: 'Tester',
      projects_limit: 3,
      can_create_group: false,
      private_profile: true,
      note: 'watched',
      theme_id: 5,
      skip_confirmation: true,
    })
    const { status, body } = await w.root.post('/users', { ...asked, public_email: asked.email })
    expect(status).toBe(201)
    const { password, admin, skip_confirmation: _, ...shown } = asked as Record<string, unknown>
    expect(body).toMatchObject({
      ...shown,
      public_email: asked.email,
      is_admin: admin,
      state: 'active',
      color_scheme_id: 1,
      confirmed_at: expect.stringContaining('T'),
      created_by: { id: 1 },
    })
    expect(await verifyPassword(await digestOf(body.id), String(password))).toBe(true)
    const namespace = await w.db
      .selectFrom('namespaces')
      .select(['full_path', 'owner_id'])
      .where('id', '=', body.namespace_id)
      .executeTakeFirst()
    expect(namespace).toEqual({ full_path: asked.username, owner_id: body.id })
  })

  test('needs one of three ways to a password', async () => {
    const { password: _, ...without } = newUser()
    const { status, body } = await w.root.post('/users', without)
    expect(status).toBe(400)
    expect(body.error).toBe(
      'password, reset_password, force_random_password are missing, at least one parameter must be provided',
    )
    const refused = await w.root.post('/users', { ...without, reset_password: false })
    expect(refused).toMatchObject({ status: 400, body: { message: { password: ["can't be blank"] } } })
    for (const way of ['reset_password', 'force_random_password']) {
      const made = await w.root.post('/users', { ...newUser(), password: undefined, [way]: true })
      expect(made.status).toBe(201)
      expect(await digestOf(made.body.id)).toBeNull()
    }
  })

  test.each([
    ['short', 'is too short (minimum is 8 characters)'],
    ['x'.repeat(129), 'is too long (maximum is 128 characters)'],
    ['          ', "can't be blank"],
  ])('refuses the password %s', async (password, problem) => {
    expect(await create({ password })).toMatchObject({
      status: 400,
      body: { message: { password: [problem] } },
    })
  })

  test('refuses names as passwords', async () => {
    const asked = newUser()
    for (const password of [asked.username.padEnd(8, '-'), asked.email.toUpperCase()]) {
      const { body } = await w.root.post('/users', {
        ...asked,
        username: asked.username.padEnd(8, '-'),
        password,
      })
      expect(body.message.password).toEqual(['must not be the username or the email address'])
    }
  })

  test('refuses what is taken with 409, whatever the case of its letters', async () => {
    const { username, id } = await w.user()
    const taken = 'has already been taken'
    expect(await create({ username: username.toUpperCase() })).toMatchObject({
      status: 409,
      body: { message: `Username ${taken}` },
    })
    expect(await create({ email: `${username}@EXAMPLE.com` })).toMatchObject({
      status: 409,
      body: { message: `Email ${taken}` },
    })
    const { fullPath } = await w.group()
    expect((await create({ username: fullPath })).status).toBe(409)
    const other = await create()
    expect((await w.root.put(`/users/${other.body.id}`, { username })).body.message).toBe(`Username ${taken}`)
    const same = { username: username.toUpperCase(), email: `${username}@example.com` }
    expect((await w.root.put(`/users/${id}`, same)).status).toBe(200)
  })

  test('refuses what cannot be, and what does not exist yet, by name', async () => {
    for (const [wrong, attribute] of [
      [{ email: 'nowhere' }, 'email'],
      [{ username: '-dash' }, 'username'],
      [{ username: 'admin' }, 'username'],
      [{ public_email: 'somebody@else.example' }, 'public_email'],
      [{ projects_limit: -1 }, 'projects_limit'],
      [{ name: ' ' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
    ] as const) {
      const { status, body } = await create(wrong)
      expect(status).toBe(400)
      expect(body.message).toHaveProperty(attribute)
    }
    for (const [wrong, because] of [
      [{ group_id_for_saml: 1 }, 'group_id_for_saml: groups have no SAML providers yet'],
      [{ auditor: true }, 'auditor: there are no auditors yet'],
      [
        { shared_runners_minutes_limit: 5 },
        'shared_runners_minutes_limit: minutes of runners are not counted yet',
      ],
    ] as const) {
      expect((await create(wrong)).body.message).toBe(`400 Bad request - ${because}`)
    }
    expect((await create({ auditor: false, shared_runners_minutes_limit: 0 })).status).toBe(201)
    expect((await create({ organization_id: 987_654_321 })).body.message).toBe('404 Organization Not Found')
  })

  test('takes null as no answer, and external users own nothing at the top', async () => {
    const { body } = await create({ private_profile: null, external: true })
    expect(body).toMatchObject({
      private_profile: false,
      external: true,
      can_create_group: false,
      projects_limit: 0,
      can_create_project: false,
    })
  })

  test('takes what is not given from the application settings', async () => {
    await withSettings({ default_projects_limit: 7, can_create_group: false }, async () => {
      expect((await create()).body).toMatchObject({ projects_limit: 7, can_create_group: false })
      const more = { projects_limit: 8, can_create_group: true }
      expect((await create(more)).body).toMatchObject(more)
    })
    await withSettings({ user_default_external: true }, async () => {
      expect((await create()).body).toMatchObject({ external: true, projects_limit: 0 })
      expect((await create({ external: false })).body.external).toBe(false)
    })
  })

  test('is for administrators', async () => {
    expect((await (await w.user()).post('/users', newUser())).status).toBe(403)
    expect((await w.anonymous.post('/users', newUser())).status).toBe(401)
    expect(
      (await (await w.user({ admin: true, scopes: ['read_api'] })).post('/users', newUser())).status,
    ).toBe(403)
  })
})

describe('PUT /users/:id', () => {
  test('changes what is given and leaves the rest', async () => {
    const user = await w.user({ profile: { bio: 'Old', location: 'There' }, note: 'kept' })
    const { status, body } = await w.root.put(`/users/${user.id}`, {
      bio: 'New',
      twitter: '@new',
      external: true,
      private_profile: true,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      bio: 'New',
      location: 'There',
      twitter: '@new',
      note: 'kept',
      external: true,
      projects_limit: 0,
    })
    const back = await w.root.put(`/users/${user.id}`, { private_profile: null, bio: null, note: null })
    expect(back.body).toMatchObject({ private_profile: false, bio: '', note: null, twitter: '@new' })
    const { updated_at } = await w.db
      .selectFrom('users')
      .select('updated_at')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    expect((await w.root.put(`/users/${user.id}`, {})).status).toBe(200)
    const after = await w.db.selectFrom('users').select('updated_at').where('id', '=', user.id).execute()
    expect(after).toEqual([{ updated_at }])
  })

  test('a new username renames all that is below, and the old paths lead on', async () => {
    const user = await w.user()
    const { body } = await user.get(`/users/${user.id}`)
    const { namespace_id } = (await w.root.get(`/users/${user.id}`)).body
    const { id } = await w.project({ parent: namespace_id, path: 'mine', visibility: 'public' })
    const username = unique('renamed')
    await w.root.put(`/users/${user.id}`, { username, name: 'New Name' })
    const place = await w.db
      .selectFrom('namespaces as n')
      .innerJoin('projects as p', 'p.project_namespace_id', 'n.id')
      .select(['n.full_path', 'n.full_name'])
      .where('p.id', '=', id)
      .executeTakeFirst()
    expect(place).toEqual({ full_path: `${username}/mine`, full_name: 'New Name / mine' })
    const old = await w.anonymous.get(`/projects/${body.username}%2Fmine/labels`)
    expect(old.status).toBe(301)
    expect((await w.anonymous.get(old.headers.get('location') ?? '')).status).toBe(200)
    expect((await user.get('/user')).body.username).toBe(username)
  })

  test('a new address is not shown in the place of the old one', async () => {
    const email = `${unique('mail')}@example.com`
    const user = await w.user({ email, publicEmail: email, commitEmail: email })
    const { body } = await w.root.put(`/users/${user.id}`, {
      skip_reconfirmation: true,
      email: `new-${email}`,
    })
    expect(body).toMatchObject({ email: `new-${email}`, public_email: null, commit_email: `new-${email}` })
  })

  test('sets and takes away passwords', async () => {
    const user = await w.user()
    await w.root.put(`/users/${user.id}`, { password: 'correct horse' })
    expect(await verifyPassword(await digestOf(user.id), 'correct horse')).toBe(true)
    await w.root.put(`/users/${user.id}`, { reset_password: true })
    expect(await digestOf(user.id)).toBeNull()
    const { body } = await w.root.put(`/users/${user.id}`, { password: `${user.username}@example.com` })
    expect(body.message).toHaveProperty('password')
  })

  test('keeps an administrator, and makes none of bots and the ghost', async () => {
    await withAdministrators([1], async () => {
      const { body } = await w.root.put('/users/1', { admin: false })
      expect(body.message).toEqual({ admin: ['cannot be taken from the last administrator'] })
    })
    const second = await w.user({ admin: true })
    expect((await w.root.put(`/users/${second.id}`, { admin: false })).body.is_admin).toBe(false)
    const bot = await w.user({ kind: 'bot' })
    expect((await w.root.put(`/users/${bot.id}`, { admin: true })).body.message).toHaveProperty('admin')
    const [ghost] = (await w.root.get('/users?username=ghost')).body
    expect((await w.root.put(`/users/${ghost.id}`, { name: 'Boo' })).status).toBe(403)
  })

  test('of two administrators who demote each other at once, one stays', async () => {
    const [one, other] = [await w.user({ admin: true }), await w.user({ admin: true })]
    await withAdministrators([one.id, other.id], async () => {
      const answers = await Promise.all([
        one.put(`/users/${other.id}`, { admin: false }),
        other.put(`/users/${one.id}`, { admin: false }),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    })
  })

  test('is for administrators', async () => {
    const user = await w.user()
    expect((await user.put(`/users/${user.id}`, { admin: true })).status).toBe(403)
    expect((await w.root.put('/users/999999999', { name: 'x' })).body.message).toBe('404 User Not Found')
  })
})
