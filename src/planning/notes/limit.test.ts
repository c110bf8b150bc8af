import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '#test/world.ts'

/** A server of its own: its setting would limit others. */
let own: World
beforeAll(async () => {
  own = await openWorld()
})
afterAll(() => own.running.stop())

async function limitTo(notes_create_limit: number) {
  await own.root.put('/application/settings', { notes_create_limit })
  const p = await own.project()
  const { body } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'x' })
  const issue = `/projects/${p.id}/issues/${body.iid}`
  return { ...p, path: `${issue}/notes`, discussions: `${issue}/discussions` }
}

describe('the limit of notes in a minute', () => {
  test('429 with Retry-After, for each user by themselves', async () => {
    const p = await limitTo(2)
    for (const _ of [1, 2]) expect((await p.guest.post(p.path, { body: 'x' })).status).toBe(201)
    const { status, body, headers } = await p.guest.post(p.path, { body: 'x' })
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        message: { error: 'This endpoint has been requested too many times. Try again later.' },
      },
    })
    const wait = Number(headers.get('retry-after'))
    expect(wait > 0 && wait <= 60).toBe(true)
    expect((await p.planner.post(p.path, { body: 'x' })).status).toBe(201)
    expect((await p.guest.get(p.path)).headers.get('x-total')).toBe('3')
  })

  test('counts discussions and replies with the notes', async () => {
    const p = await limitTo(2)
    const { body: discussion } = await p.guest.post(p.discussions, { body: 'x' })
    const replies = `${p.discussions}/${discussion.id}/notes`
    expect((await p.guest.post(replies, { body: 'x' })).status).toBe(201)
    for (const path of [p.path, p.discussions, replies])
      expect((await p.guest.post(path, { body: 'x' })).status).toBe(429)
  })

  test('counts attempts that are refused, but neither unreadable ones nor changes', async () => {
    const p = await limitTo(2)
    const missing = p.path.replace(/\d+\/notes/, '99/notes')
    expect((await p.guest.post(p.path, { body: ' ' })).status).toBe(400)
    expect((await p.guest.post(missing, { body: 'x' })).status).toBe(404)
    const { status, body } = await p.guest.post(p.path, { body: 'x' })
    expect(status).toBe(201)
    expect((await p.guest.put(`${p.path}/${body.id}`, { body: 'y' })).status).toBe(200)
    expect((await p.guest.post(missing, { body: 'x' })).status).toBe(429)
  })

  test('does not count those on the allowlist, whatever the case of their letters', async () => {
    const p = await limitTo(1)
    const allow = (notes_create_limit_allowlist: readonly string[]) =>
      own.root.put('/application/settings', { notes_create_limit_allowlist })
    const { body: allowed } = await allow([p.guest.username.toUpperCase()])
    expect(allowed.notes_create_limit_allowlist).toEqual([p.guest.username.toUpperCase()])
    const write = async (path: string) => (await p.guest.post(path, { body: 'x' })).status
    expect([await write(p.path), await write(p.discussions), await write(p.path)]).toEqual([201, 201, 201])
    expect((await p.planner.post(p.path, { body: 'x' })).status).toBe(201)
    expect((await p.planner.post(p.path, { body: 'x' })).status).toBe(429)
    await allow([])
    expect([await write(p.path), await write(p.path)]).toEqual([201, 429])
  })

  test('0 is without limit', async () => {
    const p = await limitTo(0)
    for (let count = 0; count < 5; count += 1)
      expect((await p.guest.post(p.path, { body: 'x' })).status).toBe(201)
  })
})
