import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

// Two servers on one database, as behind a load balancer. Each has its own pool, listener and memory.

let other: Awaited<ReturnType<typeof w.another>>
beforeAll(async () => {
  other = await w.another()
})
afterAll(() => other.stop())

const there = (client: Client) => new Client(other.url, client.headers)

describe('what one node takes away, the other refuses at once:', () => {
  test('a revoked token', async () => {
    const { client } = await w.token(await w.user())
    expect((await there(client).get('/version')).status).toBe(200)
    await client.delete('/personal_access_tokens/self')
    expect((await there(client).get('/version')).status).toBe(401)
  })

  test('a rotated token', async () => {
    const { client } = await w.token(await w.user())
    expect((await there(client).get('/version')).status).toBe(200)
    const { body } = await client.post('/personal_access_tokens/self/rotate')
    expect((await there(client).get('/version')).status).toBe(401)
    const rotated = new Client(other.url, { 'private-token': body.token })
    expect((await rotated.get('/version')).status).toBe(200)
  })

  test('a blocked user', async () => {
    const user = await w.user()
    expect((await there(user).get('/version')).status).toBe(200)
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
    expect((await there(user).get('/version')).status).toBe(403)
  })

  test('a membership', async () => {
    const { id, namespaceId, developer } = await w.project()
    expect((await there(developer).get(`/projects/${id}/labels`)).status).toBe(200)
    await w.db.deleteFrom('members').where('namespace_id', '=', namespaceId).execute()
    expect((await there(developer).get(`/projects/${id}/labels`)).status).toBe(404)
  })
})

test('a setting changed on one node holds on the other within a second', async () => {
  const change = (max_attachment_size: number) =>
    there(w.root).put('/application/settings', { max_attachment_size })
  const before = w.running.services.settings().max_attachment_size
  try {
    expect((await change(before + 1)).body.max_attachment_size).toBe(before + 1)
    await vi.waitFor(
      async () => {
        const { body } = await w.root.get('/application/settings')
        expect(body.max_attachment_size).toBe(before + 1)
      },
      { timeout: 1_000, interval: 5 },
    )
  } finally {
    await change(before)
  }
})
