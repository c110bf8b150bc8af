import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '#test/world.ts'

/** A server of its own: its setting would limit others. */
let own: World
beforeAll(async () => {
  own = await openWorld()
})
afterAll(() => own.running.stop())

async function limitTo(issues_create_limit: number) {
  await own.root.put('/application/settings', { issues_create_limit })
  const p = await own.project()
  return { ...p, path: `/projects/${p.id}/issues` }
}

describe('the limit of issues in a minute', () => {
  test('429 with Retry-After, for each user by themselves, in all projects together', async () => {
    const p = await limitTo(2)
    const other = await own.project()
    await own.member(other.namespaceId, p.guest, 10)
    expect((await p.guest.post(p.path, { title: 'x' })).status).toBe(201)
    expect((await p.guest.post(`/projects/${other.id}/issues`, { title: 'x' })).status).toBe(201)
    const { status, body, headers } = await p.guest.post(p.path, { title: 'x' })
    expect([status, body]).toEqual([
      429,
      { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    ])
    const wait = Number(headers.get('retry-after'))
    expect(wait > 0 && wait <= 60).toBe(true)
    expect((await p.planner.post(p.path, { title: 'x' })).status).toBe(201)
    expect((await p.guest.get(p.path)).headers.get('x-total')).toBe('2')
  })

  test('counts copies with the issues that are written', async () => {
    const p = await limitTo(2)
    const { iid } = (await p.planner.post(p.path, { title: 'x' })).body
    const clone = () => p.planner.post(`${p.path}/${iid}/clone`, { to_project_id: p.id })
    expect((await clone()).status).toBe(201)
    expect((await clone()).status).toBe(429)
    expect((await p.planner.post(p.path, { title: 'x' })).status).toBe(429)
  })

  test('does not count changes, nor what may not be done or cannot be read', async () => {
    const p = await limitTo(1)
    expect((await p.stranger.post(p.path, { title: 'x' })).status).toBe(404)
    expect((await p.guest.post(p.path, { description: 'x' })).status).toBe(400)
    const { status, body } = await p.guest.post(p.path, { title: 'x' })
    expect(status).toBe(201)
    expect((await p.guest.put(`${p.path}/${body.iid}`, { title: 'y' })).status).toBe(200)
    expect((await p.guest.post(p.path, { title: 'x' })).status).toBe(429)
  })

  test('0 is without limit, as it is unless set', async () => {
    const p = await limitTo(0)
    for (let count = 0; count < 5; count += 1)
      expect((await p.guest.post(p.path, { title: 'x' })).status).toBe(201)
  })
})
