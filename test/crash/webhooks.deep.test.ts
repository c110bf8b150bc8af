import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { dataFolder, giveUpOn, killEverything, start, TOKEN } from './killing.ts'

/** More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 1)
/** Issues that are written until the server dies. */
const EACH = 30

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test(
  `killed ${crashes} times between recording and sending, a server tells of everything, in order`,
  { timeout: 60_000 + crashes * 60_000 },
  async () => {
    const told: { key: string; title: string }[] = []
    const receiver = createServer((request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      request.on('end', () => {
        const { object_attributes: issue } = JSON.parse(text)
        told.push({ key: String(request.headers['idempotency-key']), title: issue.title })
        // Slow enough that much is left when the server dies.
        setTimeout(() => response.end(), 30)
      })
    })
    receiver.listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    cleanups.push(async () => {
      receiver.closeAllConnections()
      receiver.close()
    })
    const address = receiver.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    await api.put('/application/settings', { outbound_local_requests_whitelist: ['127.0.0.1'] })
    const { body: project } = await api.post('/projects', { name: 'crash' })
    const hook = { url: `http://127.0.0.1:${port}/`, issues_events: true, push_events: false }
    await api.post(`/projects/${project.id}/hooks`, hook)
    const written: string[] = []
    for (let crash = 0; crash < crashes; crash += 1) {
      for (let count = 0; count < EACH; count += 1) {
        const title = `${crash} ${String(count).padStart(3, '0')}`
        const { status } = await api.post(`/projects/${project.id}/issues`, { title })
        if (status === 201) written.push(title)
      }
      await killEverything(server.child, data)
      const killed = new Date()
      server = await start(data)
      await giveUpOn(data, killed)
      api = new Client(server.url, { 'private-token': TOKEN })
    }
    const titles = () => new Set(told.map(({ title }) => title))
    await expect.poll(() => titles().size, { interval: 100 }).toBe(written.length)
    expect([...titles()]).toEqual(written)
    // What came twice came with the same key.
    expect(new Set(told.map(({ key }) => key)).size).toBe(written.length)
  },
)
