import { describe, expect, test } from 'vitest'
import type { UserState } from '#platform/db/schema.ts'
import { type Actor, w } from '#test/world.ts'
import { withAdministrators } from './test-support.ts'

const set = (user: Actor, state: UserState) =>
  w.db.updateTable('users').set({ state }).where('id', '=', user.id).execute()
const act = (user: { id: number }, verb: string) => w.root.post(`/users/${user.id}/${verb}`)
const stateOf = async (user: Actor) => (await w.root.get(`/users/${user.id}`)).body.state

describe('POST /users/:id/block and the like', () => {
  test.each([
    ['block', 'unblock', 'blocked'],
    ['ban', 'unban', 'banned'],
    ['deactivate', 'activate', 'deactivated'],
  ])('%s holds from the next request on, %s ends it', async (verb, back, state) => {
    const user = await w.user()
    expect(await act(user, verb)).toMatchObject({ status: 201, body: true })
    expect(await stateOf(user)).toBe(state)
    const refused = await user.get('/user')
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('Your account')])
    expect(await act(user, back)).toMatchObject({ status: 201, body: true })
    expect((await user.get('/user')).status).toBe(200)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'actor_id'])
      .where('target_id', '=', user.id)
      .where('name', '=', `user ${state}`)
      .execute()
    expect(facts).toEqual([{ name: `user ${state}`, actor_id: 1 }])
  })

  const forbidden = (text: string) => ({ status: 403, text })
  test.each([
    ['activate', 'active', { status: 201 }],
    ['deactivate', 'deactivated', { status: 201 }],
    ['unblock', 'blocked_pending_approval', { status: 201 }],
    ['block', 'banned', forbidden('You cannot block banned users.')],
    ['unblock', 'deactivated', forbidden('403 Forbidden - Deactivated users cannot be unblocked by the API')],
    ['unblock', 'banned', forbidden('You cannot unblock banned users.')],
    ['ban', 'blocked', forbidden('You cannot ban blocked users.')],
    ['unban', 'active', forbidden('You cannot unban active users.')],
    ['activate', 'blocked', forbidden('403 Forbidden - A blocked user must be unblocked to be activated')],
    ['deactivate', 'blocked', forbidden('403 Forbidden - A blocked user cannot be deactivated by the API')],
    ['approve', 'blocked_pending_approval', { status: 201, text: 'Success' }],
    [
      'approve',
      'active',
      { status: 409, text: 'The user you are trying to approve is not pending approval' },
    ],
    ['reject', 'active', { status: 409, text: 'User does not have a pending request' }],
  ] as const)('%s of %s users', async (verb, state, { status, text }: { status: number; text?: string }) => {
    const user = await w.user()
    await set(user, state)
    const answer = await act(user, verb)
    expect(answer.status).toBe(status)
    expect(answer.body.message).toBe(text)
  })

  test('answers null for blocking and false for unblocking what is so already', async () => {
    const user = await w.user()
    expect(await act(user, 'unblock')).toMatchObject({ status: 201, text: 'false', body: false })
    expect(await act(user, 'block')).toMatchObject({ status: 201, body: true })
    const again = await act(user, 'block')
    expect([again.status, again.text, again.headers.get('content-type')]).toEqual([
      201,
      'null',
      'application/json',
    ])
    expect(await act(user, 'unblock')).toMatchObject({ status: 201, body: true })
  })

  test('reject deletes the account', async () => {
    const user = await w.user()
    await set(user, 'blocked_pending_approval')
    expect(await act(user, 'reject')).toMatchObject({ status: 200, body: { message: 'Success' } })
    expect((await w.root.get(`/users/${user.id}`)).status).toBe(404)
  })

  test('does not deactivate who was here lately', async () => {
    const user = await w.user()
    await user.get('/user')
    await w.running.services.lastUsed.flush()
    const { body } = await w.root.get(`/users/${user.id}`)
    expect(body.last_activity_on).toBe(new Date().toISOString().slice(0, 10))
    const refused = await act(user, 'deactivate')
    expect(refused.status).toBe(403)
    expect(refused.body.message).toMatch(/has been active in the past 90 days/)
  })

  test('spares the last administrator, oneself and the ghost', async () => {
    await withAdministrators([1], async () => {
      expect((await act({ id: 1 }, 'block')).body.message).toBe(
        '403 Forbidden - The last administrator cannot be blocked',
      )
    })
    const second = await w.user({ admin: true })
    expect((await second.post(`/users/${second.id}/block`)).body.message).toBe(
      '403 Forbidden - The API initiating user cannot be blocked by the API',
    )
    expect((await act(second, 'ban')).status).toBe(201)
    const [ghost] = (await w.root.get('/users?username=ghost')).body
    for (const verb of ['block', 'ban', 'deactivate']) expect((await act(ghost, verb)).status).toBe(403)
  })

  test('is for administrators, and for users that exist', async () => {
    const user = await w.user()
    for (const verb of ['block', 'unblock', 'ban', 'unban', 'activate', 'deactivate', 'approve', 'reject']) {
      expect((await user.post(`/users/${user.id}/${verb}`)).status).toBe(403)
      expect((await act({ id: 999_999_999 }, verb)).body.message).toBe('404 User Not Found')
    }
  })
})
