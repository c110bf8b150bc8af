import { fastify } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyone, outside, page, reads } from '#platform/access/route-access.ts'
import { currentCaller } from '#platform/shares/caller.ts'
import type { Client } from '#test/client.ts'
import { identifyCallers } from './callers.ts'
import { openWorld, type World } from '#test/world.ts'

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project({ visibility: 'public' })
  await p.planner.post(`/projects/${p.id}/issues`, { title: 'x' })
})
afterAll(() => own.running.stop())

/** Keeps everybody from reading a table while `work` runs. */
async function whileHeld<T>(table: string, work: () => Promise<T>): Promise<T> {
  const session = await own.running.services.pool.connect()
  await session.query(`begin; lock table ${table}`)
  try {
    return await work()
  } finally {
    await session.query('rollback')
    session.release()
  }
}

/** How many requests of one caller are sent at once: more than there are connections. */
const MANY = 30

test.each<[lists: string, table: string, path: () => string]>([
  ['lists', 'labels', () => `/projects/${p.id}/labels`],
  ['prepared lists', 'notes', () => `/projects/${p.id}/issues/1/notes`],
])("one person's slow %s keep nobody else waiting", async (_, table, path) => {
  const { waiting } = await whileHeld(table, async () => {
    const slow = Array.from({ length: MANY }, () => p.guest.get(path()))
    const others: Client[] = [p.developer, own.root, p.anonymous]
    for (const other of others) {
      expect((await other.get(`/projects/${p.id}`)).status).toBe(200)
      expect((await other.get('/projects')).status).toBe(200)
    }
    expect((await p.planner.put('/user/status', { message: table })).status).toBe(200)
    const metrics = await (await fetch(`${own.url}/-/metrics`)).text()
    expect(metrics).toMatch(/^forgelet_database_caller_waiting\{share="(?:prepared )?reads"\} [1-9]/m)
    return { waiting: slow }
  })
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]))
})

test('anonymous callers of one address share what one caller gets', async () => {
  const { waiting } = await whileHeld('labels', async () => {
    const slow = Array.from({ length: MANY }, () => p.anonymous.get(`/projects/${p.id}/labels`))
    expect((await p.guest.get(`/projects/${p.id}/milestones`)).status).toBe(200)
    return { waiting: slow }
  })
  expect((await Promise.all(waiting)).every(({ status }) => status === 200)).toBe(true)
})

test('a cookie stands for its owner only where somebody looks whose it is', async () => {
  const app = fastify()
  identifyCallers(app)
  app.get('/api', { config: reads(anyone) }, () => currentCaller())
  app.get('/page', { config: page('anyone') }, () => currentCaller())
  app.get('/receiver', { config: outside }, () => currentCaller())
  const callerAt = async (url: string) => (await app.inject({ url, headers: { cookie: 'a=1' } })).body
  expect(await callerAt('/api')).toBe('credential a=1')
  expect(await callerAt('/page')).toBe('credential a=1')
  expect(await callerAt('/receiver')).toMatch(/^address 127\.0\.0\.1/)
  expect(await callerAt('/nowhere')).not.toContain('credential')
})
