import { afterEach, expect, test } from 'vitest'
import { failure, ofEvent, post } from '#monitoring/error-tracking/test-support.ts'
import { Client } from '#test/client.ts'
import { dataFolder, giveUpOn, killEverything, start, TOKEN } from './killing.ts'

/** Senders at once, until the server dies. */
const SENDERS = 20
/** Events that are acknowledged before it is killed. */
const ENOUGH = 200

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test(
  'killed under load, a server counts every event that it has acknowledged',
  { timeout: 300_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    const { body: project } = await api.post('/projects', { name: 'crash' })
    const base = `/projects/${project.id}/error_tracking`
    await api.put(`${base}/settings`, { active: true, integrated: true })
    const { body: key } = await api.post(`${base}/client_keys`)
    const path = `/api/v4/error_tracking/collector/api/${project.id}/envelope/?sentry_key=${key.public_key}`
    let acknowledged = 0
    let unanswered = 0
    const send = async () => {
      for (;;) {
        const answer = await post(`${server.url}${path}`, ofEvent(failure())).catch(() => undefined)
        if (answer?.status !== 200) {
          unanswered += 1
          return
        }
        acknowledged += 1
      }
    }
    const senders = Array.from({ length: SENDERS }, send)
    await expect.poll(() => acknowledged, { timeout: 60_000, interval: 5 }).toBeGreaterThan(ENOUGH)
    await killEverything(server.child, data)
    const killed = new Date()
    await Promise.all(senders)
    server = await start(data)
    await giveUpOn(data, killed)
    api = new Client(server.url, { 'private-token': TOKEN })
    const counted = async () => {
      const { body } = await api.get(`${base}/errors`)
      return body[0]?.events_count ?? 0
    }
    await expect.poll(counted, { timeout: 90_000, interval: 250 }).toBeGreaterThanOrEqual(acknowledged)
    // What was kept may not have been acknowledged any more.
    expect(await counted()).toBeLessThanOrEqual(acknowledged + unanswered)
  },
)
