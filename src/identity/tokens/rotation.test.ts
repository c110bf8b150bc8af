import { describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { w } from '#test/world.ts'

const by = (token: string) => w.anonymous.with({ 'private-token': token })
const works = async (token: string) => (await by(token).get('/version')).status === 200

async function withSettings(changes: Partial<Settings>, work: () => Promise<void>): Promise<void> {
  const { settings, settingsView } = w.running.services
  const before = settings()
  const set = async (values: Partial<Settings>) => {
    await w.write((tx) => changeSettings(tx, values))
    await settingsView.reload()
  }
  await set(changes)
  try {
    await work()
  } finally {
    const names = Object.keys(changes) as (keyof Settings)[]
    await set(Object.fromEntries(names.map((name) => [name, before[name]])))
  }
}

describe('POST /personal_access_tokens/:id/rotate', () => {
  test('puts a token with the same rights in its place, in the same moment', async () => {
    const user = await w.user()
    const old = await w.token(user, ['read_api', 'read_user'])
    const { status, body } = await user.post(`/personal_access_tokens/${old.id}/rotate`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'test', scopes: ['read_api', 'read_user'], active: true })
    expect(body.id).not.toBe(old.id)
    expect([await works(old.secret), await works(body.token)]).toEqual([false, true])
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'details'])
      .where('target_type', '=', 'AccessToken')
      .where('target_id', 'in', [old.id, body.id])
      .orderBy('id')
      .execute()
    expect(facts.map(({ name }) => name)).toEqual(['token created', 'token rotated'])
    expect(JSON.stringify(facts)).not.toContain(body.token)
  })

  test('one that was replaced ends the family; other tokens of the user go on', async () => {
    const user = await w.user()
    const first = await w.token(user)
    const second = await user.post(`/personal_access_tokens/${first.id}/rotate`)
    const third = await user.post(`/personal_access_tokens/${second.body.id}/rotate`)
    expect(await works(third.body.token)).toBe(true)
    const reused = await user.post(`/personal_access_tokens/${second.body.id}/rotate`)
    expect(reused).toMatchObject({ status: 401, body: { message: '401 Unauthorized' } })
    expect([await works(third.body.token), await works(user.token)]).toEqual([false, true])
  })

  test('an expired token is 401 and ends nothing', async () => {
    const user = await w.user()
    const old = await w.token(user, ['api'], '2025-06-01')
    w.clock.hold('2025-05-31T23:59:59Z')
    const { body } = await user.post(`/personal_access_tokens/${old.id}/rotate`)
    w.clock.hold('2026-05-31T00:00:00Z')
    const late = await user.post(`/personal_access_tokens/${body.id}/rotate`)
    expect(late.status).toBe(401)
    expect((await user.get(`/personal_access_tokens/${body.id}`)).body).toMatchObject({
      revoked: false,
      active: false,
    })
  })

  test('administrators rotate those of others, which stay theirs', async () => {
    const user = await w.user()
    const old = await w.token(user)
    const { status, body } = await w.root.post(`/personal_access_tokens/${old.id}/rotate`)
    expect([status, body.user_id]).toEqual([200, user.id])
  })

  test('refuses a day that has come or is too far, and then nothing is rotated', async () => {
    const user = await w.user()
    const old = await w.token(user)
    w.clock.hold('2025-01-01T00:00:00Z')
    for (const expires_at of ['2025-01-01', '2026-01-02', 'never']) {
      const { status } = await user.post(`/personal_access_tokens/${old.id}/rotate`, { expires_at })
      expect([expires_at, status]).toEqual([expires_at, 400])
    }
    expect(await works(old.secret)).toBe(true)
    const { body } = await user.post(`/personal_access_tokens/${old.id}/rotate`, {
      expires_at: '2025-03-01',
    })
    expect(body.expires_at).toBe('2025-03-01')
  })

  test('without a day: a week where tokens must expire, else the longest life, else for ever', async () => {
    const user = await w.user()
    const ends = async () => {
      const { id } = await w.token(user)
      w.clock.hold('2025-02-25T12:00:00Z')
      return (await user.post(`/personal_access_tokens/${id}/rotate`)).body.expires_at
    }
    expect(await ends()).toBe('2025-03-04')
    await withSettings({ max_personal_access_token_lifetime: 3 }, async () =>
      expect(await ends()).toBe('2025-02-28'),
    )
    const optional = { require_personal_access_token_expiry: false }
    await withSettings(optional, async () => expect(await ends()).toBe('2026-02-25'))
    await withSettings({ ...optional, max_personal_access_token_lifetime: null }, async () =>
      expect(await ends()).toBeNull(),
    )
    await withSettings({ max_personal_access_token_lifetime: null }, async () => {
      const asked = { name: 'x', scopes: ['self_rotate'] }
      expect((await user.post('/user/personal_access_tokens', asked)).body).toEqual({
        message: { expires_at: ["can't be blank"] },
      })
    })
  })

  test('of 50 at the same time one wins, and at most one token is left', { timeout: 180_000 }, async () => {
    const user = await w.user()
    const old = await w.token(user)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => user.post(`/personal_access_tokens/${old.id}/rotate`)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set([200, 401]))
    const family = await w.db
      .selectFrom('access_tokens')
      .select('revoked_at')
      .where((eb) => eb.or([eb('id', '=', old.id), eb('family_id', '=', old.id)]))
      .execute()
    // The losers rotated a token that was revoked by then, which ends the winner's, too.
    expect(family.map(({ revoked_at }) => revoked_at === null)).toEqual([false, false])
  })
})

describe('POST /personal_access_tokens/self/rotate', () => {
  test('with the scope api or self_rotate', async () => {
    const user = await w.user()
    for (const scope of ['api', 'self_rotate'] as const) {
      const { client, secret } = await w.token(user, [scope])
      const { status, body } = await client.post('/personal_access_tokens/self/rotate')
      expect([status, body.scopes]).toEqual([200, [scope]])
      expect(await works(secret)).toBe(false)
    }
    const narrow = await w.token(user, ['read_api'])
    expect(await narrow.client.post('/personal_access_tokens/self/rotate')).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api self_rotate' },
    })
  })

  test('with the secret that was replaced is 401 and ends the family', async () => {
    const user = await w.user()
    const { client } = await w.token(user)
    const { body } = await client.post('/personal_access_tokens/self/rotate')
    // A mere read with it does not.
    expect((await client.get('/version')).status).toBe(401)
    expect(await works(body.token)).toBe(true)
    const reused = await client.post('/personal_access_tokens/self/rotate')
    expect(reused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await works(body.token)).toBe(false)
  })

  test('of many at the same time one wins', async () => {
    const { client } = await w.token(await w.user())
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.post('/personal_access_tokens/self/rotate')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
  })
})
