import { describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { unique, w } from '#test/world.ts'
import { customEvents } from './events.ts'

const free = customEvents.filter((name) => name !== 'new_epic')
const none = Object.fromEntries(free.map((name) => [name, null]))

describe('/notification_settings', () => {
  test('shows the defaults of those who chose nothing', async () => {
    const user = await w.user()
    const { body: me } = await user.get('/user')
    const answer = await user.get('/notification_settings')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      level: 'participating',
      notification_email: me.email,
      notified_of_own_activity: false,
    })
    expect((await w.anonymous.get('/notification_settings')).status).toBe(401)
  })

  test('keeps what was chosen', async () => {
    const user = await w.user()
    const { body: me } = await user.get('/user')
    const changed = await user.put('/notification_settings', {
      level: 'watch',
      notification_email: me.email,
      notified_of_own_activity: true,
      new_note: true,
    })
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      level: 'watch',
      notification_email: me.email,
      notified_of_own_activity: true,
    })
    expect((await user.get('/notification_settings')).body).toEqual(changed.body)
    // What is not named stays, and nothing need be named.
    expect((await user.put('/notification_settings', {})).body).toEqual(changed.body)
    const next = await user.put('/notification_settings', { level: 'custom' })
    expect(next.body).toMatchObject({
      ...changed.body,
      level: 'custom',
      events: { new_note: true, new_issue: null },
    })
  })

  test('sends mails to another confirmed address, as long as it is one', async () => {
    const user = await w.user()
    const { body: me } = await user.get('/user')
    const [email, unconfirmed] = [`${unique('further')}@example.com`, `${unique('other')}@example.com`]
    const { body: added } = await w.root.post(`/users/${user.id}/emails`, { email, skip_confirmation: true })
    await user.post('/user/emails', { email: unconfirmed })
    const changed = await user.put('/notification_settings', { notification_email: email })
    expect(changed).toMatchObject({ status: 200, body: { notification_email: email } })
    const refused = await user.put('/notification_settings', { notification_email: unconfirmed })
    expect(refused.body).toEqual({ message: { notification_email: ['must be an email you have verified'] } })
    expect((await user.delete(`/user/emails/${added.id}`)).status).toBe(204)
    expect((await user.get('/notification_settings')).body.notification_email).toBe(me.email)
  })

  test('refuses what is no level and no address of the user', async () => {
    const [user, other] = [await w.user(), await w.user()]
    const { body: them } = await other.get('/user')
    const put = (json: object) => user.put('/notification_settings', json)
    expect(await put({ level: 'loud' })).toMatchObject({
      status: 400,
      body: { error: 'level does not have a valid value' },
    })
    expect((await put({ new_note: 'perhaps' })).status).toBe(400)
    expect(await put({ notification_email: them.email })).toMatchObject({
      status: 400,
      body: { message: { notification_email: ['must be an email you have verified'] } },
    })
    expect((await put({ notification_email: '' })).status).toBe(400)
    expect((await user.get('/notification_settings')).body.level).toBe('participating')
  })
})

describe.each(['project', 'group'] as const)('/%ss/:id/notification_settings', (kind) => {
  const place = async () => {
    const p = kind === 'project' ? await w.project() : await w.group()
    return { p, path: `/${kind}s/${p.id}/notification_settings` }
  }

  test('are global until somebody chooses', async () => {
    const { p, path } = await place()
    expect(await p.guest.get(path)).toMatchObject({ status: 200, body: { level: 'global' } })
    const changed = await p.guest.put(path, { level: 'mention' })
    expect(changed).toMatchObject({ status: 200, body: { level: 'mention' } })
    expect(changed.body).toEqual({ level: 'mention' })
    expect((await p.guest.get(path)).body).toEqual({ level: 'mention' })
    // Everybody has their own.
    expect((await p.owner.get(path)).body).toEqual({ level: 'global' })
  })

  test('show all events at the level custom: on, off, or null for the default', async () => {
    const { p, path } = await place()
    const custom = await p.guest.put(path, { level: 'custom', new_issue: true, close_issue: false })
    expect(custom.body).toEqual({
      level: 'custom',
      events: { ...none, new_issue: true, close_issue: false },
    })
    const more = await p.guest.put(path, { new_note: true, new_issue: null })
    expect(more.body.events).toEqual({ ...none, close_issue: false, new_note: true })
    expect((await p.guest.get(path)).body).toEqual(more.body)
  })

  test('keep events that come with another level for later', async () => {
    const { p, path } = await place()
    expect((await p.guest.put(path, { level: 'watch', reopen_issue: true })).body).toEqual({ level: 'watch' })
    expect((await p.guest.put(path, { level: 'custom' })).body.events).toEqual({
      ...none,
      reopen_issue: true,
    })
    await p.guest.put(path, { level: 'disabled' })
    expect((await p.guest.put(path, { level: 'custom' })).body.events.reopen_issue).toBe(true)
  })

  test('hide and ignore new_epic without its plan', async () => {
    const { p, path } = await place()
    const { body } = await p.guest.put(path, { level: 'custom', new_epic: true })
    expect(body.events).not.toHaveProperty('new_epic')
    const licensed = await w.licensed()
    const there = new Client(licensed.url, p.guest.headers)
    expect((await there.get(path)).body.events.new_epic).toBeNull()
    expect((await there.put(path, { new_epic: true })).body.events.new_epic).toBe(true)
    expect((await p.guest.get(path)).body.events).not.toHaveProperty('new_epic')
  })

  test('are for those who may read the place', async () => {
    const { p, path } = await place()
    expect((await p.stranger.get(path)).status).toBe(404)
    expect((await p.stranger.put(path, { level: 'watch' })).status).toBe(404)
    expect((await p.anonymous.get(path)).status).toBe(401)
    expect((await p.guest.get(`/${kind}s/${unique('none')}/notification_settings`)).status).toBe(404)
    expect((await p.guest.put(path, { level: 'nothing' })).status).toBe(400)
    const { client } = await w.token(p.guest, ['read_api'])
    expect((await client.get(path)).status).toBe(200)
    expect((await client.put(path, { level: 'watch' })).status).toBe(403)
  })
})

test('permissions of projects show what the caller chose for the project and the nearest group above', async () => {
  const place = await w.project()
  const shown = async (by: Client) =>
    Promise.all([
      by.get(`/projects/${place.id}`).then(({ body }) => body.permissions),
      by
        .get(`/projects?membership=true&search=${place.fullPath.split('/').at(-1)}`)
        .then(({ body }) => body.find(({ id }: { id: number }) => id === place.id)?.permissions),
    ])
  const own = { access_level: 10, notification_level: 3 }
  const before = await shown(place.guest)
  expect(before).toEqual(Array.from(before, () => before[0]))
  expect(before[0]).toEqual({ project_access: own, group_access: null })
  const numbers = { disabled: 0, participating: 1, watch: 2, global: 3, mention: 4, custom: 5 }
  for (const [level, notification_level] of Object.entries(numbers)) {
    await place.guest.put(`/projects/${place.id}/notification_settings`, { level })
    for (const permissions of await shown(place.guest))
      expect(permissions).toMatchObject({ project_access: { ...own, notification_level } })
  }
  const group = await w.group()
  const { body: inside } = await group.owner.post('/projects', { name: 'inside', namespace_id: group.id })
  await group.owner.put(`/groups/${group.id}/notification_settings`, { level: 'watch' })
  expect((await group.owner.get(`/projects/${inside.id}`)).body.permissions).toMatchObject({
    group_access: { access_level: 50, notification_level: 2 },
  })
  expect((await w.root.get(`/projects/${inside.id}`)).body.permissions.group_access).toBeNull()
})
