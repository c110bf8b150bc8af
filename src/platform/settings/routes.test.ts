import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { settingNames } from './values.ts'

const path = '/application/settings'

/** Changes settings for the time of a test only: all tests of a worker share them. */
async function changed(changes: object, work: (body: Record<string, unknown>) => unknown): Promise<void> {
  const before: Record<string, unknown> = (await w.root.get(path)).body
  const { status, body } = await w.root.put(path, changes)
  try {
    expect(status).toBe(200)
    await work(body)
  } finally {
    const names = Object.keys(changes)
    await w.root.put(path, Object.fromEntries(names.map((name) => [name, before[name] ?? ''])))
  }
}

describe('GET /application/settings', () => {
  test('has every setting, with the moments of the instance', async () => {
    const { status, body } = await w.root.get(path)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['id', ...settingNames(), 'created_at', 'updated_at'])
    expect(body).toMatchObject({
      id: 1,
      default_project_visibility: 'private',
      max_personal_access_token_lifetime: 365,
      restricted_visibility_levels: [],
      repository_storages_weighted: { default: 100 },
      home_page_url: null,
      created_at: expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/),
    })
    expect((await w.statements(() => w.root.get(path))).length).toBe(2)
  })
})

describe('PUT /application/settings', () => {
  test('changes those given and nothing else, in every form of sending', async () => {
    const { body: before } = await w.root.get(path)
    const changes = {
      can_create_group: 'false',
      notes_create_limit: '7',
      restricted_visibility_levels: ['public', 'internal'],
      repository_storages_weighted: { default: 60, extra: 40 },
      home_page_url: 'https://example.com',
      max_personal_access_token_lifetime: null,
    }
    // Whatever clock another test held when it changed one.
    const later = new Date(Date.parse(before.updated_at) + 1_000).toISOString()
    w.clock.hold(later)
    await changed(changes, async (body) => {
      expect(body).toEqual({
        ...before,
        ...changes,
        can_create_group: false,
        notes_create_limit: 7,
        updated_at: expect.any(String),
      })
      expect(body['updated_at']).toBe(later)
      expect((await w.root.get(path)).body).toEqual(body)
    })
    expect((await w.root.get(path)).body).toEqual({ ...before, updated_at: expect.any(String) })
  })

  test('takes parameters from the query and as a form', async () => {
    const form = new URLSearchParams({ 'valid_runner_registrars[]': 'group', plantuml_enabled: '1' })
    const { body } = await w.root.send('PUT', `${path}?push_event_hooks_limit=9`, { form })
    expect(body).toMatchObject({
      valid_runner_registrars: ['group'],
      plantuml_enabled: true,
      push_event_hooks_limit: 9,
    })
    await w.root.put(path, {
      valid_runner_registrars: ['project', 'group'],
      plantuml_enabled: false,
      push_event_hooks_limit: 3,
    })
  })

  test('ignores names that are no settings', async () => {
    const { body: before } = await w.root.get(path)
    const { status, body } = await w.root.put(path, { no_such_setting: 1, id: 7, created_at: '2001-01-01' })
    expect([status, body]).toEqual([200, before])
  })

  test('refuses values that a setting does not take, by name, and then changes nothing', async () => {
    const bad = await w.root.put(path, {
      can_create_group: false,
      notes_create_limit: -1,
      default_project_visibility: 'secret',
      plantuml_enabled: 'perhaps',
      repository_storages_weighted: { default: 101 },
    })
    expect(bad.status).toBe(400)
    expect(bad.body.message).toEqual({
      notes_create_limit: ['does not have a valid value'],
      default_project_visibility: ['does not have a valid value'],
      plantuml_enabled: ['is invalid'],
      'repository_storages_weighted[default]': ['does not have a valid value'],
    })
    const pattern = await w.root.put(path, { can_create_group: false, personal_access_token_prefix: 'a b' })
    expect(pattern.status).toBe(400)
    expect(pattern.body.message).toEqual({
      personal_access_token_prefix: [expect.stringContaining('must match pattern')],
    })
    expect((await w.root.get(path)).body.can_create_group).toBe(true)
  })

  test('governs what it says: the beginning of new tokens', async () => {
    const user = await w.user()
    await changed({ personal_access_token_prefix: 'frg_' }, async () => {
      const asked = { name: 'x', scopes: ['self_rotate'] }
      expect((await user.post('/user/personal_access_tokens', asked)).body.token).toMatch(/^frg_/)
    })
  })
})
