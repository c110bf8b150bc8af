import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { SlowReaders } from './slow-readers.ts'

const BODY = 12 * 1024 * 1024

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Asks for a large body that is written in one piece, and reads nothing yet. */
async function ask(): Promise<{ client: Socket; cuts: () => number }> {
  let cuts = 0
  const slow = new SlowReaders(
    { wait: 2_000, unseen: 8_000, bytesPerSecond: 100_000, look: 50 },
    () => (cuts += 1),
  )
  const server = createServer((_, response) => response.end('x'.repeat(BODY)))
  server.on('connection', (connection) => slow.watch(connection))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1').pause()
  client.on('error', () => {})
  ends.push(() => {
    client.destroy()
    server.close()
    server.closeAllConnections()
  })
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return { client, cuts: () => cuts }
}

it('leaves alone who reads a large body steadily that was written in one piece', async () => {
  const { client, cuts } = await ask()
  let size = 0
  while (size < BODY && cuts() === 0) {
    const piece: Buffer | null = client.read()
    size += piece?.length ?? 0
    await pause(10)
  }
  expect([cuts(), size >= BODY]).toEqual([0, true])
})

it('cuts who reads such a body steadily, but too slowly', async () => {
  const { client, cuts } = await ask()
  const reading = setInterval(() => client.read(200), 20)
  ends.push(() => clearInterval(reading))
  await until(() => expect(cuts()).toBe(1))
  expect(client.bytesRead).toBeLessThan(BODY)
})
