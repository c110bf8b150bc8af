import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'

describe('GET /user_counts', () => {
  test('counts what waits', async () => {
    const user = await w.user()
    const { body } = await user.get('/user_counts')
    expect(body).toEqual({
      merge_requests: 0,
      assigned_issues: 0,
      assigned_merge_requests: 0,
      review_requested_merge_requests: 0,
      todos: 0,
    })
  })
})

describe('/user/status', () => {
  const none = {
    emoji: null,
    message: null,
    availability: 'not_set',
    message_html: null,
    clear_status_at: null,
  }

  test('is seen by everybody, by id and by username', async () => {
    const user = await w.user()
    expect((await user.get('/user/status')).body).toEqual(none)
    const set = await user.put('/user/status', { message: 'Out <now>', availability: 'busy' })
    expect(set.status).toBe(200)
    const status = {
      emoji: 'speech_balloon',
      message: 'Out <now>',
      availability: 'busy',
      message_html: 'Out &lt;now&gt;',
      clear_status_at: null,
    }
    expect(set.body).toEqual(status)
    for (const key of [user.id, user.username.toUpperCase()]) {
      expect((await w.root.get(`/users/${key}/status`)).body).toEqual(status)
    }
    expect((await w.root.get('/users/nobody-at-all/status')).status).toBe(404)
  })

  test('PUT clears what is not given, PATCH keeps it', async () => {
    const user = await w.user()
    await user.put('/user/status', { emoji: 'coffee', message: 'Break' })
    expect((await user.patch('/user/status', { message: 'Long break' })).body).toMatchObject({
      emoji: 'coffee',
      message: 'Long break',
    })
    expect((await user.put('/user/status', { emoji: 'tea' })).body).toMatchObject({
      emoji: 'tea',
      message: null,
    })
    expect((await user.put('/user/status', {})).body).toEqual(none)
  })

  test('is over when its time is', async () => {
    const user = await w.user()
    w.clock.hold('2026-03-01T10:00:00.000Z')
    const { body } = await user.put('/user/status', { message: 'Lunch', clear_status_after: '30_minutes' })
    expect(body.clear_status_at).toBe('2026-03-01T10:30:00.000Z')
    w.clock.hold('2026-03-01T10:30:00.000Z')
    expect((await user.get('/user/status')).body).toEqual(none)
  })

  test('refuses what is no status', async () => {
    for (const wrong of [
      { message: 'x'.repeat(101) },
      { emoji: 'no emoji' },
      { availability: 'away' },
      { clear_status_after: '1_year' },
    ]) {
      expect((await w.root.put('/user/status', wrong)).status).toBe(400)
    }
    expect((await w.anonymous.put('/user/status', {})).status).toBe(401)
    const reader = await w.user({ scopes: ['read_api'] })
    expect((await reader.put('/user/status', {})).status).toBe(403)
  })
})

describe('/user/preferences', () => {
  test('are kept', async () => {
    const user = await w.user()
    const standard = {
      id: user.id,
      user_id: user.id,
      view_diffs_file_by_file: false,
      show_whitespace_in_diffs: true,
      pass_user_identities_to_ci_jwt: false,
    }
    expect((await user.get('/user/preferences')).body).toEqual(standard)
    const changes = { view_diffs_file_by_file: true, show_whitespace_in_diffs: false }
    expect((await user.put('/user/preferences', changes)).body).toEqual({ ...standard, ...changes })
    expect((await user.get('/user/preferences')).body).toEqual({ ...standard, ...changes })
    expect((await user.put('/user/preferences', { view_diffs_file_by_file: true })).status).toBe(400)
  })
})

describe('PUT /user', () => {
  test('changes what is given, and shows it', async () => {
    const user = await w.user()
    const given = {
      name: 'Ada',
      bio: 'Counts',
      pronouns: 'she/her',
      private_profile: true,
      website_url: null,
    }
    const { status, body } = await user.put('/user', given)
    expect([status, body]).toMatchObject([200, { ...given, website_url: '' }])
    expect((await user.put('/user', { location: 'London' })).body).toMatchObject({
      name: 'Ada',
      location: 'London',
      private_profile: true,
    })
    expect((await user.put('/user', {})).status).toBe(200)
  })

  test('changes nothing that administrators decide, and refuses what is not theirs', async () => {
    const user = await w.user()
    const { body: before } = await user.get('/user')
    const sent = { admin: true, external: true, username: 'other', email: 'a@b.example', projects_limit: 7 }
    await user.put('/user', sent)
    expect((await user.get('/user')).body).toMatchObject({
      username: before.username,
      email: before.email,
      external: false,
      projects_limit: before.projects_limit,
    })
    for (const wrong of [
      { name: '' },
      { bio: 'x'.repeat(256) },
      { public_email: 'other@example.com' },
      { commit_email: 'other@example.com' },
    ])
      expect((await user.put('/user', wrong)).status).toBe(400)
    expect((await w.anonymous.put('/user', {})).status).toBe(401)
    const reader = await w.user({ scopes: ['read_user'] })
    expect((await reader.put('/user', {})).status).toBe(403)
  })
})
