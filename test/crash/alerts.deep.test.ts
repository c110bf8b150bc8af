import { afterEach, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { dataFolder, killEverything, start, TOKEN } from './killing.ts'

const crashes = Number(process.env['CRASHES'] ?? 1)
/** Senders at once, and what is acknowledged before the server is killed. */
const SENDERS = 16
const ENOUGH = 300

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test(
  `killed ${crashes} times under load, a server has every alert that it acknowledged`,
  { timeout: 60_000 + crashes * 60_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    const { body: project } = await api.post('/projects', { name: 'crash' })
    const { body: integration } = await api.post(`/projects/${project.id}/alert_management/integrations`, {
      name: 'Load',
    })
    const acknowledged = new Map<string, number>()
    let counted = 0
    for (let crash = 0; crash < crashes; crash += 1) {
      const url = server.url + new URL(integration.url).pathname
      const tool = new Client(server.url, { authorization: `Bearer ${integration.authorization_key}` })
      const ended = new AbortController()
      let sent = 0
      const sender = async () => {
        while (!ended.signal.aborted) {
          const title = `${crash} ${(sent += 1)}`
          const answers = await Promise.all([
            tool.post(url, { title }),
            tool.post(url, { title: 'Counted' }),
          ]).catch(() => [])
          const [own, same] = answers
          if (own?.status === 200) acknowledged.set(title, own.body[0].iid)
          if (same?.status === 200) counted += 1
          if (answers.length === 0) return
        }
      }
      const senders = Array.from({ length: SENDERS }, sender)
      await expect.poll(() => acknowledged.size).toBeGreaterThan(ENOUGH * (crash + 1))
      await killEverything(server.child, data)
      ended.abort()
      await Promise.all(senders)
      server = await start(data)
      api = new Client(server.url, { 'private-token': TOKEN })
    }
    const found = new Map<string, { iid: number; event_count: number }>()
    for (let page = 1; page > 0;) {
      const { body, headers } = await api.get(
        `/projects/${project.id}/alert_management_alerts?per_page=100&page=${page}`,
      )
      for (const alert of body) found.set(alert.title, alert)
      page = Number(headers.get('x-next-page') ?? 0)
    }
    for (const [title, iid] of acknowledged) expect([title, found.get(title)?.iid]).toEqual([title, iid])
    expect(found.get('Counted')?.event_count).toBeGreaterThanOrEqual(counted)
  },
)
